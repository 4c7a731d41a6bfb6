import { serverError } from './errors.ts'
import { isStorableText } from './storable-text.ts'

/** The id of a user in the application. Ids are compared as text: 1 and '1' are the same. */
export type UserId = string | number | bigint

/** The maximum length. Columns have 255 characters, and some ids are stored as `user:<id>`. */
const MAX_LENGTH = 250

/**
 * Returns a user's id as text. An id is a text of 1 to 250 characters or a whole number. Other
 * values, such as `undefined`, are rejected, because several users could have the same value.
 *
 * @throws QuillgateError 500 `invalid_user`
 */
export function toUserId(id: unknown): string {
  const isWhole = typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id))
  const text = isWhole ? String(id) : id
  // Rejects text that a database could shorten or change, because two ids could become equal.
  if (isStorableText(text, MAX_LENGTH)) return text
  throw serverError(
    'invalid_user',
    `A user must have an \`id\`: a whole number, or text of 1 to ${MAX_LENGTH} characters. Got ${describe(id)}.`,
  )
}

function describe(id: unknown): string {
  return typeof id === 'number' || id === undefined || id === null
    ? String(id)
    : `an unusable ${typeof id}`
}
