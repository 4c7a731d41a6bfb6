import type { User, Users } from '../devices/users.ts'

/** A user in a test. */
export interface TestUser {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly active?: boolean
}

/** Users in memory, for the option `users`. A test can change them. */
export interface MemoryUsers extends Users {
  /** Adds a user, or replaces the user with this id. */
  set(user: TestUser): void
  /** Removes a user without calling `devices.users.deleted`. */
  delete(id: string): void
}

/**
 * Creates users in memory for tests, with names and passwords.
 *
 * @example
 * const users = createMemoryUsers([{ id: '1', username: 'ada', password: 'secret' }])
 */
export function createMemoryUsers(initial: readonly TestUser[]): MemoryUsers {
  const users = new Map(initial.map((user) => [user.id, user]))
  // The cast is safe if the tests declare no user type. It is also safe if a TestUser satisfies the
  // declared type.
  const toUser = (user: TestUser | undefined): User | null => (user ? (user as User) : null)
  return {
    findById: (id) => toUser(users.get(id)),
    isActive: (user) => users.get(String(user.id))?.active ?? true,
    verifyCredentials: (username, password) =>
      toUser(
        [...users.values()].find(
          (user) => user.username === username && user.password === password,
        ),
      ),
    set: (user) => void users.set(user.id, user),
    delete: (id) => void users.delete(id),
  }
}
