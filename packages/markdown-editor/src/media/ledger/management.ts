import type { Medium } from './medium.ts'
import { type Actor, type EditorUser, isLabelled, parseOwner } from './principal.ts'

/**
 * Why an actor may decide about a file by saving or removing it: as its owner, or because the
 * application allows it. Null: the actor may not.
 */
export type Role = 'owner' | 'manager' | null

/** Returns the role of an actor for a file. */
export type Manages = (medium: Medium) => Promise<Role>

/** The application's decision whether a user manages a file of another owner. */
export type CanManage = (user: EditorUser, medium: Medium) => boolean | Promise<boolean>

/**
 * Returns the function that tells an actor's role.
 *
 * @returns null for an actor who manages everything: the application itself, with or without a
 * label
 * @throws QuillgateError `invalid_user` (500)
 */
export function managementOf(
  actor: Actor | undefined,
  canManage: CanManage | undefined,
): Manages | null {
  if (actor === undefined || isLabelled(actor)) return null
  const { owner, user } = parseOwner(actor)
  return async (medium) => {
    if (medium.owner === owner) return 'owner'
    return user && (await canManage?.(user, medium)) ? 'manager' : null
  }
}
