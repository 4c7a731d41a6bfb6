import { ConfigurationError, toUserId, type UserId } from '@quillgate/server/core'

/**
 * Declares the type of the application's users. The application extends this interface once.
 * Without a declaration, a user is `{ id }`.
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

/** The properties that every user has. */
export interface BaseUser {
  readonly id: UserId
}

/** The type of the application's users, which the application declares in {@link Register}. */
export type User = Register extends { user: infer Declared extends BaseUser } ? Declared : BaseUser

/** A user whom `users.findById` no longer finds. Only the id is known. */
export interface DeletedUser {
  readonly id: User['id']
}

/** The application's users. `parseId` and `usernameOf` must be synchronous. */
export interface Users<Id = string> {
  /** Returns the user with this id, or null. */
  findById(id: Id): User | null | undefined | Promise<User | null | undefined>
  /**
   * Converts the text of an id to the type that `findById` expects, for example `Number` or
   * `BigInt`. Required if `user.id` is not text. @default the text
   */
  parseId?(id: string): Id
  /**
   * Returns false for a blocked account. A blocked account cannot sign in, and its requests are
   * rejected. By default, every account is active.
   */
  isActive?(user: User): boolean | Promise<boolean>
  /**
   * Returns the user with this name and password, or null. Enables `POST /trusted-devices/token`
   * and `/reauthenticate`. An unknown name must take as long as a wrong password. Otherwise, the
   * response time reveals which names exist.
   */
  verifyCredentials?(
    username: string,
    password: string,
  ): User | null | undefined | Promise<User | null | undefined>
  /** Returns the name with which `verifyCredentials` finds a user. @default `user.username` */
  usernameOf?(user: User): string
}

/** Looks up the application's users. Takes ids as text. */
export class UserDirectory {
  readonly #users: Users<unknown>
  readonly checksPasswords: boolean

  constructor(users: Users<unknown>) {
    this.#users = users
    this.checksPasswords = typeof users.verifyCredentials === 'function'
  }

  async verifyCredentials(username: string, password: string): Promise<User | null> {
    return (await this.#users.verifyCredentials?.(username, password)) ?? null
  }

  /**
   * Returns the id of a user as text. Throws a ConfigurationError if the types of `users.parseId`
   * and `user.id` differ, and `invalid_user` for an unusable id.
   */
  idOf(user: BaseUser): string {
    const userId = toUserId(user.id)
    const key = this.#keyOf(userId)
    const type = typeof user.id
    if (typeof key === type) return userId
    const example = type === 'bigint' ? 'BigInt' : type === 'number' ? 'Number' : 'String'
    const problem = `must return a ${type}, because user.id is a ${type}. Write for example "parseId: ${example}"`
    throw new ConfigurationError('users.parseId', problem, key)
  }

  /** Finds a user. Throws a ConfigurationError if `users.findById` returns the wrong user. */
  async find(userId: string): Promise<User | null> {
    const key = this.#keyOf(userId)
    if (key === null) return null
    const user = (await this.#users.findById(key)) ?? null
    if (user !== null && this.idOf(user) !== userId) {
      throw new ConfigurationError(
        'users.findById',
        'must return the user whose id was passed to it, or null',
      )
    }
    return user
  }

  deleted(userId: string): DeletedUser {
    return { id: (this.#keyOf(userId) ?? userId) as DeletedUser['id'] }
  }

  async isActive(user: User): Promise<boolean> {
    return (await this.#users.isActive?.(user)) ?? true
  }

  usernameOf(user: User): string | null {
    const own = 'username' in user ? user.username : null
    const name = this.#users.usernameOf ? this.#users.usernameOf(user) : own
    return typeof name === 'string' ? name : null
  }

  /** Returns an id in the form that `findById` takes, or null for a text that is not an id. */
  #keyOf(userId: string): unknown {
    if (!this.#users.parseId) return userId
    try {
      const key = this.#users.parseId(userId)
      return toUserId(key) === userId ? key : null
    } catch {
      return null // For example BigInt('x').
    }
  }
}
