import { ConfigurationError } from '@quillgate/http'
import type { User, UserIdKind, Users } from './user.ts'

/** The application's users, asked in one way. Ids are text. */
export interface UserDirectory {
  find(userId: string): Promise<User | null>
  isActive(user: User): Promise<boolean>
  /** Null when the application does not check passwords for us. */
  readonly verifyCredentials: ((username: string, password: string) => Promise<User | null>) | null
  /** The name that `verifyCredentials` knows this user by. */
  usernameOf(user: User): string
}

const MAX_USER_ID = 255

/** The text form of a user's id. @throws ConfigurationError when it is neither text nor a whole number */
export function toUserId(id: unknown): string {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id
  if (typeof text === 'string' && isStorable(text)) return text
  throw new ConfigurationError('user.id', `must be a whole number, or text of 1 to ${MAX_USER_ID} characters`, id)
}

/** Other texts would be cut or changed by a database, and one user could become another. */
function isStorable(id: string): boolean {
  return id !== '' && id.length <= MAX_USER_ID && id.isWellFormed() && !id.includes('\0')
}

/** Sees the application's users as a directory. @param kind what `findById` gets */
export function createUserDirectory<Kind extends UserIdKind>(users: Users<Kind>, kind: Kind): UserDirectory {
  const { verifyCredentials } = users
  return {
    async find(userId) {
      const id = kind === 'number' ? toNumericId(userId) : userId
      // The type of `findById` follows `kind`, which the compiler cannot see here.
      return id === null ? null : ((await users.findById(id as Parameters<typeof users.findById>[0])) ?? null)
    },
    isActive: async (user) => (await users.isActive?.(user)) ?? true,
    verifyCredentials: verifyCredentials
      ? async (username, password) => (await verifyCredentials.call(users, username, password)) ?? null
      : null,
    usernameOf(user) {
      const name = users.usernameOf ? users.usernameOf(user) : 'username' in user ? user.username : null
      if (typeof name === 'string') return name
      throw new ConfigurationError('users.usernameOf', 'is needed for reauthentication: users have no `username`')
    },
  }
}

function toNumericId(userId: string): number | null {
  const id = Number(userId)
  return Number.isSafeInteger(id) && String(id) === userId ? id : null
}
