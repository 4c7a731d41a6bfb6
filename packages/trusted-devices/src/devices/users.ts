import { ConfigurationError, toUserId, type UserId } from '@quillgate/server/core'

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

/** The application's users. Their ids are text here. */
export class UserDirectory {
  readonly #users: Users<unknown>
  /** Returns the user with this name and password. Null if the application checks no passwords. */
  readonly verifyCredentials: ((username: string, password: string) => Promise<User | null>) | null

  constructor(users: Users<unknown>) {
    this.#users = users
    this.verifyCredentials = users.verifyCredentials
      ? async (username, password) => (await users.verifyCredentials?.(username, password)) ?? null
      : null
  }

  /**
   * Returns the text form of a user's id.
   *
   * @throws ConfigurationError if `users.findById` would get another type; QuillgateError
   * `invalid_user`
   */
  idOf(user: BaseUser): string {
    const userId = toUserId(user.id)
    checkIdType(user.id, this.#keyOf(userId))
    return userId
  }

  /** @throws ConfigurationError for a user with another id or type of id */
  async find(userId: string): Promise<User | null> {
    const key = this.#keyOf(userId)
    if (key === null) return null
    const user = (await this.#users.findById(key)) ?? null
    if (user !== null && this.idOf(user) !== userId) {
      throw new ConfigurationError(
        'users.findById',
        'must return the user with the id that it is called with, or null',
      )
    }
    return user
  }

  /** Describes a user whom `find` did not find. */
  deleted(userId: string): DeletedUser {
    return { id: (this.#keyOf(userId) ?? userId) as DeletedUser['id'] }
  }

  async isActive(user: User): Promise<boolean> {
    return (await this.#users.isActive?.(user)) ?? true
  }

  /** Returns the name with which `verifyCredentials` finds this user, or null. */
  usernameOf(user: User): string | null {
    const own = 'username' in user ? user.username : null
    const name = this.#users.usernameOf ? this.#users.usernameOf(user) : own
    return typeof name === 'string' ? name : null
  }

  /** Returns the id as `findById` takes it, or null for a text that is no id. */
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

/** @throws ConfigurationError if `findById` would get another type of id */
function checkIdType(id: UserId, key: unknown): void {
  const type = typeof id
  if (typeof key === type) return
  const example = type === 'bigint' ? 'BigInt' : type === 'number' ? 'Number' : 'String'
  throw new ConfigurationError(
    'users.parseId',
    `must return a ${type}, because user.id is a ${type}, for example parseId: ${example}`,
    key,
  )
}
