import type { UserId } from '@quillgate/server/core'
import type { Medium } from './ledger/medium.ts'
import { type Actor, isLabelled, parseOwner } from './owner.ts'

/**
 * The right of an actor to decide on the life of a file by what they save or remove: as its owner, or because the
 * application allows it. Null: the actor has no such right.
 */
export type Role = 'owner' | 'manager' | null

/** Returns the role of an actor for a file. */
export type Manages = (medium: Medium) => Promise<Role>

/** The application's word on who manages files of others. */
export type CanManage = (
  user: { readonly id: UserId },
  medium: Medium,
) => boolean | Promise<boolean>

/**
 * Who manages what: a file's owner, and whom the application allows.
 *
 * @returns null for an actor who manages everything: the application itself, with or without a label
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
    return user !== null && canManage !== undefined && (await canManage(user, medium))
      ? 'manager'
      : null
  }
}
