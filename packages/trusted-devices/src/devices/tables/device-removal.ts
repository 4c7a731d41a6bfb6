import { list, type Row, type SqlExecutor } from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'
import { byActivity, type DeviceRecord, toDeviceRecord } from './device-record.ts'

/**
 * Deletes devices. Each function runs under the owner's lock. It returns the rows that it deleted itself, least
 * recently seen first.
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

/** Writes the statements. */
export function createDeviceRemoval({ sql, tables }: DeviceDatabase): DeviceRemoval {
  const { device, owner } = tables
  const sorted = (rows: readonly Row[]): DeviceRecord[] => rows.map(toDeviceRecord).sort(byActivity)
  return {
    async these(tx, userId, uids) {
      const removed: Row[] = []
      for (let start = 0; start < uids.length; start += BATCH) {
        const batch = list(uids.slice(start, start + BATCH))
        removed.push(
          ...(await rowsOf(
            tx,
            sql`DELETE FROM ${device} WHERE user_id = ${userId} AND uid IN (${batch}) RETURNING *`,
          )),
        )
      }
      return sorted(removed)
    },
    async all(tx, userId, except = '') {
      return sorted(
        await rowsOf(
          tx,
          sql`DELETE FROM ${device} WHERE user_id = ${userId} AND uid <> ${except} RETURNING *`,
        ),
      )
    },
    async stale(tx, userId, seenBefore, except = '') {
      return sorted(
        await rowsOf(
          tx,
          sql`DELETE FROM ${device} WHERE user_id = ${userId} AND last_seen_at < ${seenBefore} AND uid <> ${except}
            RETURNING *`,
        ),
      )
    },
    async replayed(tx, uid, { family, counter }) {
      return sorted(
        await rowsOf(
          tx,
          sql`DELETE FROM ${device} WHERE uid = ${uid} AND token_family = ${family} AND token_counter > ${counter}
            RETURNING *`,
        ),
      )
    },
    async owner(tx, userId) {
      await affectedBy(tx, sql`DELETE FROM ${owner} WHERE user_id = ${userId}`)
    },
  }
}
