import { ConfigurationError, serverError, toUserId as toText } from '@quillgate/server/core'
import { parseUuid } from '../uuid.ts'
import type { BaseUser, DeletedUser, User, UserIdKind, Users } from './user.ts'

/** The application's users, asked in one way. Ids are text. */
export interface UserDirectory {
  /** The text form of an id, one for each user. @throws QuillgateError `invalid_user` */
  toUserId(id: unknown): string
  /**
   * Returns the text form of a user's id. It must have the type that the option `userId` names, because `users.findById`
   * is called with that type.
   *
   * @throws ConfigurationError that names the option to set; QuillgateError `invalid_user`
   */
  idOf(user: BaseUser): string
  /** @throws QuillgateError `invalid_user`, ConfigurationError for a user with another id or type of id */
  find(userId: string): Promise<User | null>
  /** A user whom `find` did not find: only the id, of the type that `users.findById` gets. */
  deleted(userId: string): DeletedUser
  isActive(user: User): Promise<boolean>
  /** Null when the application does not check passwords for us. */
  readonly verifyCredentials: ((username: string, password: string) => Promise<User | null>) | null
  /** Returns the name with which `verifyCredentials` finds this user, or null. */
  usernameOf(user: User): string | null
}

/** Sees the application's users as a directory. @param kind what `findById` gets */
export function createUserDirectory<Kind extends UserIdKind>(
  users: Users<Kind>,
  kind: Kind,
): UserDirectory {
  const { verifyCredentials } = users
  const toUserId = kind === 'uuid' ? toUuidText : toText
  const toId = KEYS[kind]
  const idOf = (user: BaseUser): string => {
    toText(user.id) // Throws when it is no id.
    checkIdType(user.id, kind)
    return toUserId(user.id)
  }
  return {
    toUserId,
    idOf,
    async find(userId) {
      const id = toId(userId)
      if (id === null) return null
      // The type of `findById` follows `kind`, which the compiler cannot see here.
      const user = (await users.findById(id as Parameters<typeof users.findById>[0])) ?? null
      if (user !== null && idOf(user) !== userId) {
        throw new ConfigurationError(
          'users.findById',
          'must return the user with the id that it is called with, or null',
        )
      }
      return user
    },
    deleted: (userId) => ({ id: (toId(userId) ?? userId) as DeletedUser['id'] }), // Of this kind, as those of all users.
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

/** What `findById` gets for an id; null for one that no user can have. */
const KEYS: { readonly [Kind in UserIdKind]: (userId: string) => string | number | bigint | null } =
  {
    string: (userId) => userId,
    uuid: parseUuid,
    number(userId) {
      const id = Number(userId)
      return Number.isSafeInteger(id) && String(id) === userId ? id : null
    },
    bigint: (userId) => (/^(?:0|-?[1-9]\d{0,38})$/.test(userId) ? BigInt(userId) : null),
  }

/** The types of `user.id` for each kind. */
const ID_TYPES: { readonly [Kind in UserIdKind]: readonly string[] } = {
  string: ['string'],
  uuid: ['string'],
  number: ['number'],
  bigint: ['bigint', 'number'],
}

function checkIdType(id: unknown, kind: UserIdKind): void {
  const type = typeof id
  if (ID_TYPES[kind].includes(type)) return
  throw new ConfigurationError(
    'userId',
    `must be "${type}", because user.id is a ${type} and users.findById would get ${FOUND_BY[kind]}. ` +
      `Set userId: '${type}' in createTrustedDevices, or give users an id of the other type`,
    kind,
  )
}

/** The type that `findById` gets, for the error. */
const FOUND_BY: { readonly [Kind in UserIdKind]: string } = {
  string: 'text',
  uuid: 'a UUID',
  number: 'a number',
  bigint: 'a bigint',
}

/** A UUID is the same in upper and lower case, and kept in lower case. */
function toUuidText(id: unknown): string {
  const uuid = typeof id === 'string' ? parseUuid(id) : null
  if (uuid === null) {
    throw serverError(
      'invalid_user',
      'The id of a user must be a UUID, for the option userId is "uuid".',
    )
  }
  return uuid
}
