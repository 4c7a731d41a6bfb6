import { QuillgateError, toUserId, type UserId } from '@quillgate/http'

/** Who owns what was uploaded: a signed-in user, or an anonymous session (`csrf.session(context)`). */
export type MediaOwner<User extends { readonly id: UserId } = { readonly id: UserId }> =
  | User
  | { readonly session: string }

/** Who caused something, for the ledger: a user, or a label of the application's own, such as `retention job`. */
export type Actor = { readonly id: UserId } | string

const LONGEST_LABEL = 255

/**
 * What the ledger calls a signed-in user, for example in `medium.owner`.
 * @throws QuillgateError `invalid_user` (500)
 */
export function userOwner(id: UserId): string {
  return `user:${toUserId(id)}`
}

/** What the ledger calls an anonymous session, until `editor.claim` gives its files to a user. */
export function anonymousOwner(session: string): string {
  return `anon:${session}`
}

/**
 * Checks who owns a file.
 *
 * @returns what the ledger calls the owner, and the user where it is one
 * @throws QuillgateError `invalid_user` (500) for anything else, such as the id alone
 */
export function parseOwner<User extends { readonly id: UserId }>(
  owner: MediaOwner<User>,
): { readonly owner: string; readonly user: User | null } {
  if (isUser(owner)) return { owner: userOwner(owner.id), user: owner }
  const session: unknown = isObject(owner) ? owner['session'] : undefined
  if (typeof session === 'string' && session !== '') return { owner: anonymousOwner(session), user: null }
  throw invalid('owner must be the signed-in user, { id }, or an anonymous session, { session }.')
}

/**
 * What the ledger calls an actor: `user:<id>`, or the label.
 * @throws QuillgateError `invalid_user` (500)
 */
export function toActor(actor: Actor | null | undefined): string | null {
  if (actor === null || actor === undefined) return null
  if (isUser(actor)) return userOwner(actor.id)
  if (typeof actor === 'string' && actor !== '' && actor.length <= LONGEST_LABEL) return actor
  throw invalid(`actor must be a user, { id }, or a label of 1 to ${LONGEST_LABEL} characters.`)
}

function isUser<User extends { readonly id: UserId }>(value: unknown): value is User {
  return isObject(value) && 'id' in value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function invalid(detail: string): QuillgateError {
  return new QuillgateError('invalid_user', 500, detail)
}
