import { QuillgateError, toUserId as toText } from '@quillgate/http'
import { parseUuid } from '../uuid.ts'
import type { User, UserIdKind, Users } from './user.ts'

/** The application's users, asked in one way. Ids are text. */
export interface UserDirectory {
  /** The text form of an id, one for each user. @throws QuillgateError `invalid_user` */
  toUserId(id: unknown): string
  /** @throws QuillgateError `invalid_user` for a user without a usable id */
  find(userId: string): Promise<User | null>
  isActive(user: User): Promise<boolean>
  /** Null when the application does not check passwords for us. */
  readonly verifyCredentials: ((username: string, password: string) => Promise<User | null>) | null
  /** The name that `verifyCredentials` knows this user by, or null when nobody says it. */
  usernameOf(user: User): string | null
}

/** Sees the application's users as a directory. @param kind what `findById` gets */
export function createUserDirectory<Kind extends UserIdKind>(users: Users<Kind>, kind: Kind): UserDirectory {
  const { verifyCredentials } = users
  const toUserId = kind === 'uuid' ? toUuidText : toText
  const toId = KEYS[kind]
  return {
    toUserId,
    async find(userId) {
      const id = toId(userId)
      if (id === null) return null
      // The type of `findById` follows `kind`, which the compiler cannot see here.
      const user = (await users.findById(id as Parameters<typeof users.findById>[0])) ?? null
      if (user !== null) toUserId(user.id)
      return user
    },
    isActive: async (user) => (await users.isActive?.(user)) ?? true,
    verifyCredentials: verifyCredentials
      ? async (username, password) => (await verifyCredentials.call(users, username, password)) ?? null
      : null,
    usernameOf(user) {
      const name = users.usernameOf ? users.usernameOf(user) : 'username' in user ? user.username : null
      return typeof name === 'string' ? name : null
    },
  }
}

/** What `findById` gets for an id; null for one that no user can have. */
const KEYS: { readonly [Kind in UserIdKind]: (userId: string) => string | number | bigint | null } = {
  string: (userId) => userId,
  uuid: parseUuid,
  number(userId) {
    const id = Number(userId)
    return Number.isSafeInteger(id) && String(id) === userId ? id : null
  },
  bigint: (userId) => (/^(?:0|-?[1-9]\d{0,38})$/.test(userId) ? BigInt(userId) : null),
}

/** A UUID is the same in upper and lower case, and kept in lower case. */
function toUuidText(id: unknown): string {
  const uuid = typeof id === 'string' ? parseUuid(id) : null
  if (uuid === null) {
    throw new QuillgateError('invalid_user', 500, 'The id of a user must be a UUID, for the option userId is "uuid".')
  }
  return uuid
}
