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
export interface UserDirectory {
  /** Returns the text form of an id. @throws QuillgateError `invalid_user` */
  toUserId(id: unknown): string
  /**
   * Returns the text form of a user's id.
   *
   * @throws ConfigurationError if `users.findById` would get another type; QuillgateError
   * `invalid_user`
   */
  idOf(user: BaseUser): string
  /** @throws ConfigurationError for a user with another id or type of id */
  find(userId: string): Promise<User | null>
  /** Describes a user whom `find` did not find. */
  deleted(userId: string): DeletedUser
  isActive(user: User): Promise<boolean>
  /** Null if the application does not check passwords. */
  readonly verifyCredentials: ((username: string, password: string) => Promise<User | null>) | null
  /** Returns the name with which `verifyCredentials` finds this user, or null. */
  usernameOf(user: User): string | null
}

/** Wraps the application's users. */
export function createUserDirectory(users: Users<unknown>): UserDirectory {
  const { verifyCredentials } = users
  const keyOf = (userId: string): unknown => {
    if (!users.parseId) return userId
    try {
      const key = users.parseId(userId)
      return toUserId(key) === userId ? key : null
    } catch {
      return null // For example BigInt('x').
    }
  }
  const idOf = (user: BaseUser): string => {
    const userId = toUserId(user.id)
    checkIdType(user.id, keyOf(userId))
    return userId
  }
  return {
    toUserId,
    idOf,
    async find(userId) {
      const key = keyOf(userId)
      if (key === null) return null
      const user = (await users.findById(key)) ?? null
      if (user !== null && idOf(user) !== userId) {
        throw new ConfigurationError(
          'users.findById',
          'must return the user with the id that it is called with, or null',
        )
      }
      return user
    },
    deleted: (userId) => ({ id: (keyOf(userId) ?? userId) as DeletedUser['id'] }),
    isActive: async (user) => (await users.isActive?.(user)) ?? true,
    verifyCredentials: verifyCredentials
      ? async (username, password) =>
          (await verifyCredentials.call(users, username, password)) ?? null
      : null,
    usernameOf(user) {
      const name = users.usernameOf
        ? users.usernameOf(user)
        : 'username' in user
          ? user.username
          : null
      return typeof name === 'string' ? name : null
    },
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
