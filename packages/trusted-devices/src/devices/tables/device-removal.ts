import type { SqlExecutor } from '@quillgate/server/database'
import type { DeviceDatabase } from './device-database.ts'
import { byActivity, type DeviceRecord, type DeviceRow, toDeviceRecord } from './device-record.ts'

/**
 * Deletes devices. Each function runs under the owner's lock. It returns the rows that it deleted
 * itself, least recently seen first.
 */
export interface DeviceRemoval {
  /** Some devices of a user. */
  these(tx: SqlExecutor, userId: string, uids: readonly string[]): Promise<DeviceRecord[]>
  /** All devices of a user, but one. */
  all(tx: SqlExecutor, userId: string, except?: string): Promise<DeviceRecord[]>
  /** The devices of a user that were last seen before a time, but one. */
  stale(
    tx: SqlExecutor,
    userId: string,
    seenBefore: number,
    except?: string,
  ): Promise<DeviceRecord[]>
  /** A device whose token is of this family and further than this position. */
  replayed(
    tx: SqlExecutor,
    uid: string,
    token: { family: number; counter: number },
  ): Promise<DeviceRecord[]>
  /** The user's row of the lock table. */
  owner(tx: SqlExecutor, userId: string): Promise<void>
}

const BATCH = 500 // Below every engine's limit of parameters.

/** Creates the statements of an instance. */
export function createDeviceRemoval({ on }: Pick<DeviceDatabase, 'on'>): DeviceRemoval {
  const remove = (tx: SqlExecutor) => on(tx).deleteFrom('device').returningAll()
  const sorted = (rows: readonly DeviceRow[]): DeviceRecord[] =>
    rows.map(toDeviceRecord).sort(byActivity)
  return {
    async these(tx, userId, uids) {
      const removed: DeviceRow[] = []
      for (let start = 0; start < uids.length; start += BATCH) {
        const some = remove(tx).where('uid', 'in', uids.slice(start, start + BATCH))
        removed.push(...(await some.where('userId', '=', userId).execute()))
      }
      return sorted(removed)
    },
    async all(tx, userId, except = '') {
      const ofUser = remove(tx).where('userId', '=', userId)
      return sorted(await ofUser.where('uid', '<>', except).execute())
    },
    async stale(tx, userId, seenBefore, except = '') {
      const ofUser = remove(tx).where('userId', '=', userId).where('uid', '<>', except)
      return sorted(await ofUser.where('lastSeenAt', '<', seenBefore).execute())
    },
    async replayed(tx, uid, { family, counter }) {
      const one = remove(tx).where('uid', '=', uid).where('tokenFamily', '=', family)
      return sorted(await one.where('tokenCounter', '>', counter).execute())
    },
    async owner(tx, userId) {
      await on(tx).deleteFrom('deviceOwner').where('userId', '=', userId).execute()
    },
  }
}
