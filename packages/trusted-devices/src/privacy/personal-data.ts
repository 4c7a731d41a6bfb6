import type { SqlExecutor } from '@quillgate/server/database'
import type { AddressCutoffs } from './address-policy.ts'

/**
 * One kind of personal data, for example the rows of a table. It can be exported and erased per
 * user.
 */
export interface UserData {
  /** The name of this data in an export, for example `devices`. */
  readonly name: string
  /** Returns the personal data of a user, as JSON. Leaves out secrets and internal values. */
  export(tx: SqlExecutor, userId: string): Promise<unknown>
  /** Erases the personal data of a user. `tx` is a transaction that has locked the user. */
  erase(tx: SqlExecutor, userId: string): Promise<void>
}

/** Personal data of this component. Each table with data of users has exactly one such object. */
export interface PersonalData extends UserData {
  /**
   * Shortens or removes addresses that are too old, in batches. Each batch is a separate statement
   * that can safely run again. Returns the total number of row updates.
   */
  reduceAddresses?(executor: SqlExecutor, cutoffs: AddressCutoffs): Promise<number>
}
