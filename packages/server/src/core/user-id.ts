import { serverError } from './errors.ts'

/**
 * The id of a user as an application has it. Ids are compared as text: 1 and '1' are the same user.
 */
export type UserId = string | number | bigint

/** Columns have 255 characters, and in some of them the id has the prefix `user:`. */
const MAX_LENGTH = 250

/**
 * Returns the text form of a user's id: text of 1 to 250 characters, or a whole number. Anything
 * else, such as `undefined`, would become the name of an owner that users share.
 *
 * @throws QuillgateError 500 `invalid_user`
 */
export function toUserId(id: unknown): string {
  const isWhole = typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id))
  const text = isWhole ? String(id) : id
  if (typeof text === 'string' && isStorable(text)) return text
  throw serverError(
    'invalid_user',
    `A user must have an \`id\`: a whole number, or text of 1 to ${MAX_LENGTH} characters. Got ${describe(id)}.`,
  )
}

/** Other texts would be cut or changed by a database, and one user could become another. */
function isStorable(id: string): boolean {
  return id !== '' && id.length <= MAX_LENGTH && id.isWellFormed() && !id.includes('\0')
}

function describe(id: unknown): string {
  return typeof id === 'number' || id === undefined || id === null
    ? String(id)
    : `another ${typeof id}`
}
