import { toUserId } from '@quillgate/http'
import type { User, UserIdKind, Users } from './user.ts'

/** The application's users, asked in one way. Ids are text. */
export interface UserDirectory {
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
  return {
    async find(userId) {
      const id = kind === 'number' ? toNumericId(userId) : userId
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

function toNumericId(userId: string): number | null {
  const id = Number(userId)
  return Number.isSafeInteger(id) && String(id) === userId ? id : null
}
