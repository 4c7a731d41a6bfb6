import type { SqlExecutor } from '@quillgate/server/database'

/** Devices that others may remember, and must read again. */
export interface Outdated {
  readonly userId: string
  readonly uids: readonly string[]
  /** Those among them that may be another user's. */
  readonly others: readonly string[]
}

/** Tells other nodes which devices they must read again. */
export interface Announcer {
  /**
   * Makes the commit of this transaction tell them, if the database can.
   *
   * @returns false when it cannot: then announce it after the commit
   */
  announceIn(tx: SqlExecutor, outdated: Outdated): Promise<boolean>
  /** Tells them now. Never fails: who does not hear it reads again after `deviceCacheTtl`. */
  announce(outdated: Outdated): void
}
