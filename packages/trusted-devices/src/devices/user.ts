import type { UserId } from '@quillgate/server/core'

/**
 * Where an application declares the type of its user, once. Without a declaration a user is `{ id
 * }`.
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

/** The part that every user has. */
export interface BaseUser {
  readonly id: UserId
}

/** A signed-in user: the type that the application declared in {@link Register}. */
export type User = Register extends { user: infer Declared extends BaseUser } ? Declared : BaseUser

/** A user whom `users.findById` no longer knows: only the id is left. */
export interface DeletedUser {
  readonly id: User['id']
}

/** The application's users. Each function but `parseId` may be asynchronous. */
export interface Users<Id = string> {
  /** Returns the user with this id, or null. */
  findById(id: Id): User | null | undefined | Promise<User | null | undefined>
  /**
   * Converts the text of an id to what `findById` expects, for example `Number` or `BigInt`. Needed
   * if `user.id` is not text. @default the text
   */
  parseId?(id: string): Id
  /**
   * False for a blocked account: it cannot sign in, and its requests are refused. @default
   * everybody is active
   */
  isActive?(user: User): boolean | Promise<boolean>
  /**
   * The user with this name and password, or null. Turns on `POST /trusted-devices/token` and
   * `/reauthenticate`. Take as long for an unknown name as for a wrong password, or the answer
   * tells which names exist.
   */
  verifyCredentials?(
    username: string,
    password: string,
  ): User | null | undefined | Promise<User | null | undefined>
  /** The name that `verifyCredentials` knows a signed-in user by. @default `user.username` */
  usernameOf?(user: User): string
}
