import type { UserId } from '@quillgate/http'
import type { Medium } from './ledger/medium.ts'
import { type Actor, isLabelled, parseOwner } from './owner.ts'

/** Tells whether a file is in somebody's hands: whether what they save or remove decides on its life. */
export type Manages = (medium: Medium) => Promise<boolean>

/** The application's word on who manages files of others. */
export type CanManage = (user: { readonly id: UserId }, medium: Medium) => boolean | Promise<boolean>

/**
 * Who manages what: a file's owner, and whom the application allows.
 *
 * @returns null for an actor who manages everything: the application itself, with or without a label
 * @throws QuillgateError `invalid_user` (500)
 */
export function managementOf(actor: Actor | undefined, canManage: CanManage | undefined): Manages | null {
  if (actor === undefined || isLabelled(actor)) return null
  const { owner, user } = parseOwner(actor)
  return async (medium) =>
    medium.owner === owner || (user !== null && canManage !== undefined && (await canManage(user, medium)))
}
