import type { SqlExecutor } from '@quillgate/server/database'

/** A place that keeps personal data of users, so that it can be exported and erased. */
export interface UserData {
  /** Its name in an export, for example `devices`. */
  readonly name: string
  /** Everything of a user, as JSON. Secrets, and what only the machinery needs, stay out. */
  export(tx: SqlExecutor, userId: string): Promise<unknown>
  /**
   * Erases everything of a user, under the owner's lock. Events of revocations that wait for
   * delivery stay, but lose all personal data.
   */
  erase(tx: SqlExecutor, userId: string): Promise<void>
}

/**
 * A place of this component. Every table with a `user_id` belongs to one. It also keeps addresses
 * no longer than they are needed.
 */
export interface PersonalData extends UserData {
  /**
   * Reduces addresses that are too old, in batches. Each is a statement of its own that can run
   * again.
   *
   * @param now milliseconds since the epoch
   * @returns how many it reduced
   */
  reduceAddresses?(executor: SqlExecutor, now: number): Promise<number>
}
