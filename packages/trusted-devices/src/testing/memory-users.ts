import type { User, Users } from '../devices/users.ts'

/** A user in a test. */
export interface TestUser {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly active?: boolean
}

/** Users in memory. Pass them as the option `users`. They can be changed during a test. */
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
  // The cast is safe if the tests declare no user type, or a type that a TestUser satisfies.
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
