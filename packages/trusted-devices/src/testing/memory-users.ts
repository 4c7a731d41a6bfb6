import type { User, Users } from '../devices/users.ts'

/** A user of a test. */
export interface TestUser {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly active?: boolean
}

/** Users in memory: give it as `users`, and change it while the test runs. */
export interface MemoryUsers extends Users {
  /** Adds a user, or replaces the one with this id. */
  set(user: TestUser): void
  /** Removes a user, as an application that forgets to call `users.deleted`. */
  delete(id: string): void
}

/**
 * Users for tests, with names and passwords.
 *
 * @example
 * const users = createMemoryUsers([{ id: '1', username: 'ada', password: 'secret' }])
 */
export function createMemoryUsers(initial: readonly TestUser[]): MemoryUsers {
  const users = new Map(initial.map((user) => [user.id, user]))
  // Tests that use this declare no user type of their own, or one that a TestUser satisfies.
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
