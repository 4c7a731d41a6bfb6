import type { SqlExecutor } from '@quillgate/server/database'
import type { AddressCutoffs } from './address-policy.ts'

/** One kind of personal data of users, for example a table, that can be exported and erased. */
export interface UserData {
  /** Its name in an export, for example `devices`. */
  readonly name: string
  /** Returns the personal data of a user, as JSON. Leaves out secrets and internal values. */
  export(tx: SqlExecutor, userId: string): Promise<unknown>
  /**
   * Erases the personal data of a user, in a transaction that holds the user's lock. Pending events
   * of revocations stay, but without personal data except for ids.
   */
  erase(tx: SqlExecutor, userId: string): Promise<void>
}

/** Personal data of this component. Exactly one covers each table with a `user_id`. */
export interface PersonalData extends UserData {
  /**
   * Shortens or removes addresses that are too old, in batches. Each batch is a separate statement
   * that can safely run again. Returns the number of rows that were changed.
   */
  reduceAddresses?(executor: SqlExecutor, cutoffs: AddressCutoffs): Promise<number>
}

/** All personal data of users. */
export interface AllPersonalData {
  readonly outbox: PersonalData
  /** The last element contains the owner's row, which is the lock of the user. */
  readonly registry: readonly PersonalData[]
  /** The data of other components. */
  readonly added: UserData[]
}
