import { createHash } from 'node:crypto'
import {
  part,
  type Row,
  raw,
  type SqlExecutor,
  type SqlFragment,
  toBoolean,
  toNumber,
  tuples,
} from '@quillgate/server/database'
import { TrustedDevice } from '../trusted-device.ts'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'
import { type DeviceRecord, toCountries } from './device-record.ts'

/** A device that was revoked: what its credential may still say. */
export interface RevokedDevice {
  /** The stored properties: uid, owner, name, country, times and permissions. */
  readonly device: TrustedDevice
  /** Position of its newest device credential. */
  readonly credentialCounter: number
  /** When it was shown that the newest one had arrived, in milliseconds since the epoch; null: it never was. */
  readonly credentialConfirmedAt: number | null
  /** The known countries of its logins. */
  readonly countries: readonly string[]
  /** Whether it ended harmlessly, and no other device took its place since. */
  readonly mayReturn: boolean
}

/** How long a credential can come back: browsers keep no cookie for longer. In milliseconds. */
export const REVOKED_DEVICE_AGE: number = 400 * 86_400_000

/** The most revoked devices of one user that are kept. */
export const REVOKED_DEVICES_PER_USER = 1000

/** A device that was just deleted. */
export interface EndedDevice {
  readonly record: DeviceRecord
  /** Whether it ended harmlessly. */
  readonly mayReturn: boolean
}

const ROWS_PER_INSERT = 250 // Times fourteen columns: below every engine's limit of parameters.

/** Remembers revoked devices, so that a credential does not speak for a device that was revoked for a reason. */
export interface RevokedDevices {
  /** The revoked device with this uid, or null. */
  find(tx: SqlExecutor, uid: string): Promise<RevokedDevice | null>
  /** Whether a revoked device of a user belonged to this session of the application. */
  hadSession(tx: SqlExecutor, userId: string, sessionId: string): Promise<boolean>
  /**
   * Remembers devices of one user that were deleted in the same transaction: of very many, the last ones.
   *
   * @param now milliseconds since the epoch
   */
  remember(tx: SqlExecutor, ended: readonly EndedDevice[], now: number): Promise<void>
  /** Notes that a new device took the place of this one: its credential is not trusted a second time. */
  replaced(tx: SqlExecutor, uid: string, now: number): Promise<void>
  /**
   * Makes some revoked devices of a user strangers, whose credential gives nothing back.
   *
   * @param which a condition on the columns of this table; by default all
   */
  distrust(tx: SqlExecutor, userId: string, which?: SqlFragment | null): Promise<void>
  /** Users, sorted by id, with revoked devices that may return. @param which a condition on the columns of this table */
  ownersOfReturning(
    tx: SqlExecutor,
    which: SqlFragment,
    after: string,
    limit: number,
  ): Promise<string[]>
  /** Forgets devices that were revoked before a time. */
  forget(tx: SqlExecutor, revokedBefore: number): Promise<void>
  /**
   * Does the same for one user, and keeps only the newest {@link REVOKED_DEVICES_PER_USER}, so that the table cannot
   * be flooded.
   */
  forgetOf(tx: SqlExecutor, userId: string, revokedBefore: number): Promise<void>
  /** Deletes the revoked devices of a user. */
  forgetUser(tx: SqlExecutor, userId: string): Promise<void>
}

/** Creates the statements of an instance. */
export function createRevokedDevices(db: DeviceDatabase): RevokedDevices {
  return { ...memory(db), ...changes(db) }
}

function memory({
  sql,
  tables: { revoked },
}: DeviceDatabase): Pick<RevokedDevices, 'find' | 'hadSession' | 'remember'> {
  return {
    async find(tx, uid) {
      const [row] = await rowsOf(tx, sql`SELECT * FROM ${revoked} WHERE uid = ${uid}`)
      return row ? toRevokedDevice(row) : null
    },
    async hadSession(tx, userId, sessionId) {
      const hash = hashOf(sessionId)
      const rows = await rowsOf(
        tx,
        sql`SELECT uid FROM ${revoked} WHERE user_id = ${userId} AND session_hash = ${hash}`,
      )
      return rows.length > 0
    },
    async remember(tx, ended, now) {
      const rows = ended.slice(-REVOKED_DEVICES_PER_USER).map((device) => toRow(device, now))
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
        await affectedBy(
          tx,
          sql`INSERT INTO ${revoked} (uid, user_id, name, country, created_at, last_seen_at, can_delete_others,
              can_edit_others, credential_counter, may_return, countries, revoked_at, credential_confirmed_at,
              session_hash)
            VALUES ${tuples(rows.slice(start, start + ROWS_PER_INSERT))}`,
        )
      }
    },
  }
}

function changes({
  sql,
  tables: { revoked },
}: DeviceDatabase): Omit<RevokedDevices, 'find' | 'hadSession' | 'remember'> {
  return {
    async replaced(tx, uid, now) {
      await affectedBy(
        tx,
        sql`UPDATE ${revoked} SET may_return = ${false}, revoked_at = ${now} WHERE uid = ${uid}`,
      )
    },
    async distrust(tx, userId, which = null) {
      await affectedBy(
        tx,
        sql`UPDATE ${revoked} SET may_return = ${false} WHERE user_id = ${userId} AND ${which ?? part`1 = 1`}`,
      )
    },
    async ownersOfReturning(tx, which, after, limit) {
      const rows = await rowsOf(
        tx,
        sql`SELECT DISTINCT user_id FROM ${revoked} WHERE user_id > ${after} AND may_return = ${true} AND ${which}
          ORDER BY user_id LIMIT ${limit}`,
      )
      return rows.map((row) => String(row['user_id']))
    },
    async forget(tx, revokedBefore) {
      await affectedBy(tx, sql`DELETE FROM ${revoked} WHERE revoked_at < ${revokedBefore}`)
    },
    async forgetOf(tx, userId, revokedBefore) {
      // A SELECT within a SELECT, for MySQL deletes from no table that it reads; and no OFFSET without LIMIT.
      await affectedBy(
        tx,
        sql`DELETE FROM ${revoked} WHERE user_id = ${userId} AND (revoked_at < ${revokedBefore} OR uid IN (
            SELECT uid FROM (SELECT uid FROM ${revoked} WHERE user_id = ${userId} ORDER BY revoked_at DESC, uid DESC
              LIMIT ${raw(String(2 ** 31 - 1))} OFFSET ${raw(String(REVOKED_DEVICES_PER_USER))}) AS surplus))`,
      )
    },
    async forgetUser(tx, userId) {
      await affectedBy(tx, sql`DELETE FROM ${revoked} WHERE user_id = ${userId}`)
    },
  }
}

/** Hashes the id of a session, because the store of the application may still have the session. */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url')
}

function toRow({ record, mayReturn }: EndedDevice, now: number) {
  const { device, credentialCounter, credentialConfirmedAt, countries, sessionId } = record
  const { uid, userId, name, country, createdAt, lastSeenAt, canDeleteOthers, canEditOthers } =
    device
  const times = [createdAt.getTime(), lastSeenAt.getTime()] as const
  const rights = [canDeleteOthers, canEditOthers] as const
  const places = JSON.stringify(countries)
  const credential = [credentialCounter, mayReturn, places, now, credentialConfirmedAt] as const
  const session = sessionId === null ? null : hashOf(sessionId)
  return [uid, userId, name, country, ...times, ...rights, ...credential, session]
}

function toRevokedDevice(row: Row): RevokedDevice {
  return {
    device: new TrustedDevice({
      uid: String(row['uid']),
      userId: String(row['user_id']),
      name: String(row['name']),
      city: null,
      country: row['country'] === null ? null : String(row['country']),
      address: null,
      lastAddress: null,
      userAgent: '',
      browser: null,
      os: null,
      deviceType: null,
      createdAt: new Date(toNumber(row['created_at'])),
      lastSeenAt: new Date(toNumber(row['last_seen_at'])),
      canDeleteOthers: toBoolean(row['can_delete_others']),
      canEditOthers: toBoolean(row['can_edit_others']),
    }),
    credentialCounter: toNumber(row['credential_counter']),
    credentialConfirmedAt:
      row['credential_confirmed_at'] === null ? null : toNumber(row['credential_confirmed_at']),
    countries: toCountries(row['countries']),
    mayReturn: toBoolean(row['may_return']),
  }
}
