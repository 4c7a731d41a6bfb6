import { type QuillgateError, serverError, toUserId, type UserId } from '@quillgate/server/core'

/** Who owns what was uploaded: a signed-in user, or an anonymous session (`csrf.session(context)`). */
export type MediaOwner<User extends { readonly id: UserId } = { readonly id: UserId }> =
  | User
  | { readonly session: string }

/**
 * Who does something: a user, an anonymous session, or the application itself under a label, which may do everything.
 */
export type Actor<User extends { readonly id: UserId } = { readonly id: UserId }> =
  | MediaOwner<User>
  /** For example `{ label: 'retention job' }`. */
  | { readonly label: string }

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
  if (typeof session === 'string' && session !== '')
    return { owner: anonymousOwner(session), user: null }
  throw invalid(
    'An owner is the signed-in user, { id }, or an anonymous session, { session }; an actor may be { label } instead.',
  )
}

/**
 * What the ledger calls an actor: `user:<id>`, `anon:<session>`, or the label; null: the application itself without
 * one.
 * @throws QuillgateError `invalid_user` (500), for null too: nobody is not the application
 */
export function toActor(actor: Actor | undefined): string | null {
  if (actor === undefined) return null
  if (!isLabelled(actor)) return parseOwner(actor).owner
  const { label } = actor
  if (typeof label === 'string' && label !== '' && label.length <= LONGEST_LABEL) return label
  throw invalid(`The label of an actor has 1 to ${LONGEST_LABEL} characters.`)
}

/** Whether an actor is the application itself. */
export function isLabelled(actor: Actor): actor is { readonly label: string } {
  return isObject(actor) && 'label' in actor && !('id' in actor) && !('session' in actor)
}

function isUser<User extends { readonly id: UserId }>(value: unknown): value is User {
  return isObject(value) && 'id' in value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function invalid(detail: string): QuillgateError {
  return serverError('invalid_user', detail)
}
