import { serverError, toUserId, type UserId } from '@quillgate/server/core'
import type { Medium } from './medium.ts'

/** A signed-in user, with the data that the editor needs. */
export interface EditorUser {
  readonly id: UserId
}

/** The owner of an upload: a signed-in user, or an anonymous session. See `editor.ownerOf`. */
export type Owner<User extends EditorUser = EditorUser> = User | { readonly session: string }

/**
 * The actor of a change: a user, an anonymous session, or a job of the application with a label,
 * such as `{ label: 'retention job' }`. A job, like the application itself, may make every change.
 */
export type Actor<User extends EditorUser = EditorUser> = Owner<User> | { readonly label: string }

/** A user or an anonymous session, with its owner key in the ledger. */
export interface Principal {
  /** `user:<id>` or `anon:<session>`. */
  readonly owner: string
  /** Null for an anonymous session. */
  readonly user: EditorUser | null
}

/** The role in which an actor manages a file. Null if the actor does not manage the file. */
export type Role = 'owner' | 'manager' | null

/** Returns the role of an actor for a file. */
export type Manages = (medium: Medium) => Promise<Role>

/** A function of the application that returns true if a user manages a file of another owner. */
export type CanManage = (user: EditorUser, medium: Medium) => boolean | Promise<boolean>

const MAX_LABEL_LENGTH = 255

/** Returns the principal of an owner. Throws `invalid_user` (500) if the value is not an owner. */
export function parseOwner(owner: Owner): Principal {
  const given: unknown = owner
  if (isObject(given) && 'id' in given) {
    const user = owner as EditorUser
    return { owner: `user:${toUserId(user.id)}`, user }
  }
  const session = isObject(given) ? given['session'] : undefined
  if (typeof session === 'string' && session !== '') return { owner: `anon:${session}`, user: null }
  throw serverError(
    'invalid_user',
    'The owner or actor is not valid. Pass { id } for a signed-in user, or { session } for an anonymous session. An actor can also be { label }.',
  )
}

/** Returns the name of an actor in the ledger. For undefined (the application), returns null. */
export function toActor(actor: Actor | undefined): string | null {
  if (actor === undefined) return null
  if (!isApplication(actor)) return parseOwner(actor).owner
  const { label } = actor
  if (typeof label === 'string' && label !== '' && label.length <= MAX_LABEL_LENGTH) return label
  const detail = `The label of an actor must have 1 to ${MAX_LABEL_LENGTH} characters.`
  throw serverError('invalid_user', detail)
}

/** Returns a function that finds an actor's role. For the application and a job, returns null. */
export function managementOf(
  actor: Actor | undefined,
  canManage: CanManage | undefined,
): Manages | null {
  if (actor === undefined || isApplication(actor)) return null
  const { owner, user } = parseOwner(actor)
  return async (medium) => {
    if (medium.owner === owner) return 'owner'
    return user && (await canManage?.(user, medium)) ? 'manager' : null
  }
}

function isApplication(actor: Actor): actor is { readonly label: string } {
  return isObject(actor) && 'label' in actor && !('id' in actor) && !('session' in actor)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
