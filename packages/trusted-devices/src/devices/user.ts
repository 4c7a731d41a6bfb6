import type { UserId } from '@quillgate/server/core'

/**
 * Where an application declares the type of its user, once. Without a declaration a user is `{ id }`.
 *
 * @example
 * declare module '@quillgate/trusted-devices' {
 *   interface Register {
 *     user: { id: string; email: string }
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications merge their declaration into it.
export interface Register {}

/** The part that every user has: an id of the type that the option `userId` names. */
export interface BaseUser {
  readonly id: UserId
}

/** A signed-in user: the type that the application declared in {@link Register}. */
export type User = Register extends { user: infer Declared extends BaseUser } ? Declared : BaseUser

/** A user whom `users.findById` no longer knows: only the id is left, of the type that the option `userId` names. */
export interface DeletedUser {
  readonly id: User['id']
}

/** All kinds of user ids. */
export const USER_ID_KINDS = ['string', 'uuid', 'number', 'bigint'] as const

/**
 * What ids of users are, and what `users.findById` is called with. `string`: text, of which each spelling is another
 * user. `uuid`: a UUID, in upper or lower case the same; it is kept and given in lower case. `number` and `bigint`: what
 * they say; ids beyond 2^53 need `bigint`.
 */
export type UserIdKind = (typeof USER_ID_KINDS)[number]

/** The type of an id of this kind. */
export type UserKey<Kind extends UserIdKind> = Kind extends 'number'
  ? number
  : Kind extends 'bigint'
    ? bigint
    : string

/** The application's users, as far as this component needs them. Each function may be asynchronous. */
export interface Users<Kind extends UserIdKind = 'string'> {
  /** The user with this id, or null. */
  findById(id: UserKey<Kind>): User | null | undefined | Promise<User | null | undefined>
  /** False for a blocked account: it cannot sign in, and its requests are refused. @default everybody is active */
  isActive?(user: User): boolean | Promise<boolean>
  /**
   * The user with this name and password, or null. Turns on `POST /trusted-devices/token` and `/reauthenticate`. Take
   * as long for an unknown name as for a wrong password, or the answer tells which names exist.
   */
  verifyCredentials?(
    username: string,
    password: string,
  ): User | null | undefined | Promise<User | null | undefined>
  /** The name that `verifyCredentials` knows a signed-in user by. @default `user.username` */
  usernameOf?(user: User): string
}
