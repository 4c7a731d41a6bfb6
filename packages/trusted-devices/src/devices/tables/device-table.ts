import { part, type SqlExecutor, type SqlFragment, toNumber } from '@quillgate/server/database'
import { levelOf } from '../../privacy/address-level.ts'
import { beginFamily, type TokenState } from '../../tokens/token-state.ts'
import type { ActingDevice } from '../acting-device.ts'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'
import { type DeviceRecord, toCountries, toDeviceRecord } from './device-record.ts'

/** The properties that a user may change. An absent one stays as it is. */
export interface DeviceChanges {
  readonly name?: string
  readonly canDeleteOthers?: boolean
  readonly canEditOthers?: boolean
}

/** A user's devices, except one. */
export interface OtherDevices {
  readonly count: number
  /** The countries that they signed in from, sorted. */
  readonly countries: readonly string[]
}

/** A sign of life of a device. */
export interface DeviceUse {
  readonly address: string | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** One page of a list. */
export interface DevicePosition {
  readonly limit: number
  /** The last device of the page before. */
  readonly after: { readonly lastSeenAt: number; readonly uid: string } | null
}

/**
 * Reads and writes devices. Functions take the executor of a transaction, or of the database for a single statement.
 * An update never inserts, writes only the columns that it is about, and says whether the row was still there.
 */
export interface DeviceTable {
  find(tx: SqlExecutor, uid: string): Promise<DeviceRecord | null>
  /**
   * Returns the owner of a device, also of a revoked one, or null. It reads nothing else, so that its time does not show
   * whether there is one.
   */
  findOwner(tx: SqlExecutor, uid: string): Promise<string | null>
  /** The device of a user that belongs to this session of the application, or null. */
  findBySession(tx: SqlExecutor, userId: string, sessionId: string): Promise<DeviceRecord | null>
  /** Counts the devices of a user, except one, and collects their countries. */
  summarize(tx: SqlExecutor, userId: string, except: string): Promise<OtherDevices>
  /** The least recently seen devices of a user, but one: their uids. Ties by creation. */
  findIdle(tx: SqlExecutor, userId: string, except: string, limit: number): Promise<string[]>
  /** Devices of a user; most recently seen first. */
  findPage(tx: SqlExecutor, userId: string, position: DevicePosition): Promise<DeviceRecord[]>
  /** Users, sorted by id, who have devices that were last seen before a time. */
  findStaleOwners(
    tx: SqlExecutor,
    seenBefore: number,
    after: string,
    limit: number,
  ): Promise<string[]>
  countStale(tx: SqlExecutor, seenBefore: number): Promise<number>
  insert(tx: SqlExecutor, record: DeviceRecord): Promise<void>
  /** Writes what a login of a known device changes. */
  updateLogin(tx: SqlExecutor, record: DeviceRecord): Promise<boolean>
  updateMembers(tx: SqlExecutor, uid: string, changes: DeviceChanges): Promise<boolean>
  /** Notes that a password was entered. */
  updateProof(tx: SqlExecutor, uid: string, now: number): Promise<boolean>
  /** Replaces the token state if it is still `from`, and notes the use; false when it is not. */
  rotateToken(
    tx: SqlExecutor,
    uid: string,
    from: TokenState,
    to: TokenState,
    use: DeviceUse,
  ): Promise<boolean>
  /** Stores that the token before the newest one was used late, unless the token was replaced meanwhile. */
  updateLate(tx: SqlExecutor, uid: string, token: TokenState): Promise<void>
  /** Stores the session of the application that the device belongs to. @returns whether the user has the device */
  updateSession(tx: SqlExecutor, device: ActingDevice, sessionId: string): Promise<boolean>
  /** Remembers a second factor. @param until milliseconds since the epoch @returns whether the user has the device */
  updateSecondFactor(tx: SqlExecutor, device: ActingDevice, until: number): Promise<boolean>
  /** Forgets the second factor of a user. @param uid null: on all devices @returns the devices that had one */
  clearSecondFactor(tx: SqlExecutor, userId: string, uid: string | null): Promise<string[]>
  /** Ends a session: no token of this family is good any more. */
  endFamily(tx: SqlExecutor, uid: string, family: number, now: number): Promise<void>
  /**
   * Notes a use with a token of the family of `token`: the device credential of its login arrived.
   *
   * @param confirms whether `token` itself arrived, if it is still the newest one
   */
  touch(
    tx: SqlExecutor,
    uid: string,
    use: DeviceUse,
    token: TokenState,
    confirms: boolean,
  ): Promise<boolean>
}

/**
 * Returns the condition for rows after a position. It starts with a plain comparison, because an index cannot start
 * at an OR.
 */
export function olderThan(after: DevicePosition['after']): SqlFragment {
  if (after === null) return part`1 = 1`
  const { lastSeenAt, uid } = after
  return part`last_seen_at <= ${lastSeenAt} AND (last_seen_at < ${lastSeenAt} OR uid < ${uid})`
}

/** Creates the statements of an instance. */
export function createDeviceTable(db: DeviceDatabase): DeviceTable {
  return { ...reads(db), ...scans(db), ...logins(db), ...edits(db), ...tokens(db) }
}

type Some<Name extends keyof DeviceTable> = Pick<DeviceTable, Name>

function reads({
  sql,
  tables: { device: table, revoked },
}: DeviceDatabase): Some<'find' | 'findOwner' | 'findBySession' | 'summarize' | 'findIdle'> {
  return {
    async find(tx, uid) {
      const [row] = await rowsOf(tx, sql`SELECT * FROM ${table} WHERE uid = ${uid}`)
      return row ? toDeviceRecord(row) : null
    },
    async findOwner(tx, uid) {
      const [row] = await rowsOf(
        tx,
        sql`SELECT user_id FROM ${table} WHERE uid = ${uid} UNION ALL
          SELECT user_id FROM ${revoked} WHERE uid = ${uid}`,
      )
      return row ? String(row['user_id']) : null
    },
    async findBySession(tx, userId, sessionId) {
      const rows = await rowsOf(
        tx,
        sql`SELECT * FROM ${table} WHERE user_id = ${userId} AND application_session_id = ${sessionId}`,
      )
      return rows.map(toDeviceRecord).find((record) => record.sessionId === sessionId) ?? null
    },
    async summarize(tx, userId, except) {
      const rows = await rowsOf(
        tx,
        sql`SELECT countries, COUNT(*) AS devices
          FROM ${table} WHERE user_id = ${userId} AND uid <> ${except} GROUP BY countries`,
      )
      return {
        count: rows.reduce((sum, row) => sum + toNumber(row['devices']), 0),
        countries: [...new Set(rows.flatMap((row) => toCountries(row['countries'])))].sort(),
      }
    },
    async findIdle(tx, userId, except, limit) {
      const rows = await rowsOf(
        tx,
        sql`SELECT uid FROM ${table} WHERE user_id = ${userId} AND uid <> ${except}
          ORDER BY last_seen_at, created_at, uid LIMIT ${limit}`,
      )
      return rows.map((row) => String(row['uid']))
    },
  }
}

function scans({
  sql,
  tables: { device: table },
}: DeviceDatabase): Some<'findPage' | 'findStaleOwners' | 'countStale'> {
  return {
    async findPage(tx, userId, { limit, after }) {
      const rows = await rowsOf(
        tx,
        sql`SELECT * FROM ${table} WHERE user_id = ${userId} AND ${olderThan(after)}
          ORDER BY last_seen_at DESC, uid DESC LIMIT ${limit}`,
      )
      return rows.map(toDeviceRecord)
    },
    async findStaleOwners(tx, seenBefore, after, limit) {
      const rows = await rowsOf(
        tx,
        sql`SELECT DISTINCT user_id FROM ${table} WHERE last_seen_at < ${seenBefore} AND user_id > ${after}
          ORDER BY user_id LIMIT ${limit}`,
      )
      return rows.map((row) => String(row['user_id']))
    },
    async countStale(tx, seenBefore) {
      const [row] = await rowsOf(
        tx,
        sql`SELECT COUNT(*) AS stale FROM ${table} WHERE last_seen_at < ${seenBefore}`,
      )
      return toNumber(row?.['stale'])
    },
  }
}

function logins(db: DeviceDatabase): Some<'insert' | 'updateLogin' | 'updateSession'> {
  const { sql, tables } = db
  const table = tables.device
  const isThere = createIsThere(db)
  return {
    async insert(
      tx,
      { device, token, credentialCounter, credentialConfirmedAt, provedAt, sessionId, countries },
    ) {
      await affectedBy(
        tx,
        sql`INSERT INTO ${table} (uid, user_id, name, city, country, address, last_address, user_agent, browser, os,
            device_type, created_at, last_seen_at, proved_at, can_delete_others, can_edit_others, token_family,
            token_counter, token_issued_at, token_confirmed_at, credential_counter, signed_in_at, address_level,
            last_address_level, application_session_id, countries, credential_confirmed_at, token_late)
          VALUES (${device.uid}, ${device.userId}, ${device.name}, ${device.city}, ${device.country}, ${device.address},
            ${device.lastAddress}, ${device.userAgent}, ${device.browser}, ${device.os}, ${device.deviceType},
            ${device.createdAt.getTime()}, ${device.lastSeenAt.getTime()}, ${provedAt}, ${device.canDeleteOthers},
            ${device.canEditOthers}, ${token.family}, ${token.counter}, ${token.issuedAt}, ${token.confirmedAt},
            ${credentialCounter}, ${device.lastSeenAt.getTime()}, ${levelOf(device.address, device.city)},
            ${levelOf(device.lastAddress, null)}, ${sessionId}, ${JSON.stringify(countries)}, ${credentialConfirmedAt},
            ${token.late})`,
      )
    },
    async updateLogin(
      tx,
      { device, token, credentialCounter, credentialConfirmedAt, provedAt, sessionId, countries },
    ) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET city = ${device.city}, country = ${device.country}, address = ${device.address},
            last_address = ${device.lastAddress}, user_agent = ${device.userAgent}, browser = ${device.browser},
            os = ${device.os}, device_type = ${device.deviceType}, last_seen_at = ${device.lastSeenAt.getTime()},
            proved_at = ${provedAt}, token_family = ${token.family}, token_counter = ${token.counter},
            token_issued_at = ${token.issuedAt}, token_confirmed_at = ${token.confirmedAt},
            token_late = ${token.late}, credential_counter = ${credentialCounter},
            credential_confirmed_at = ${credentialConfirmedAt}, countries = ${JSON.stringify(countries)},
            signed_in_at = ${device.lastSeenAt.getTime()},
            address_level = ${levelOf(device.address, device.city)},
            last_address_level = ${levelOf(device.lastAddress, null)}, application_session_id = ${sessionId}
          WHERE uid = ${device.uid}`,
      )
      return isThere(tx, device.uid, updated)
    },
    async updateSession(tx, { uid, userId }, sessionId) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET application_session_id = ${sessionId} WHERE uid = ${uid} AND user_id = ${userId}`,
      )
      return isThere(tx, uid, updated, userId)
    },
  }
}

function edits(
  db: DeviceDatabase,
): Some<'updateMembers' | 'updateProof' | 'updateSecondFactor' | 'clearSecondFactor'> {
  const { sql, tables } = db
  const table = tables.device
  const isThere = createIsThere(db)
  return {
    async updateMembers(tx, uid, { name = null, canDeleteOthers = null, canEditOthers = null }) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET name = COALESCE(${name}, name),
            can_delete_others = COALESCE(${canDeleteOthers}, can_delete_others),
            can_edit_others = COALESCE(${canEditOthers}, can_edit_others)
          WHERE uid = ${uid}`,
      )
      return isThere(tx, uid, updated)
    },
    async updateProof(tx, uid, now) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET proved_at = ${now} WHERE uid = ${uid}`,
      )
      return isThere(tx, uid, updated)
    },
    async updateSecondFactor(tx, { uid, userId }, until) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET second_factor_until = ${until} WHERE uid = ${uid} AND user_id = ${userId}`,
      )
      return isThere(tx, uid, updated, userId)
    },
    async clearSecondFactor(tx, userId, uid) {
      const rows = await rowsOf(
        tx,
        sql`SELECT uid FROM ${table} WHERE user_id = ${userId} AND second_factor_until IS NOT NULL`,
      )
      const uids = rows
        .map((row) => String(row['uid']))
        .filter((one) => uid === null || one === uid)
      for (const one of uids) {
        await affectedBy(tx, sql`UPDATE ${table} SET second_factor_until = NULL WHERE uid = ${one}`)
      }
      return uids
    },
  }
}

function tokens(db: DeviceDatabase): Some<'rotateToken' | 'updateLate' | 'endFamily' | 'touch'> {
  const { sql, tables } = db
  const table = tables.device
  const isThere = createIsThere(db)
  return {
    async rotateToken(tx, uid, from, to, { address, now }) {
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET token_counter = ${to.counter}, token_issued_at = ${to.issuedAt},
            token_confirmed_at = ${to.confirmedAt}, token_late = ${to.late}, last_seen_at = ${now},
            last_address = ${address},
            last_address_level = ${levelOf(address, null)},
            credential_confirmed_at = COALESCE(credential_confirmed_at, ${now})
          WHERE uid = ${uid} AND token_family = ${from.family} AND token_counter = ${from.counter}`,
      )
      return updated > 0
    },
    async updateLate(tx, uid, { family, counter, late }) {
      await affectedBy(
        tx,
        sql`UPDATE ${table} SET token_late = ${late}
          WHERE uid = ${uid} AND token_family = ${family} AND token_counter = ${counter}`,
      )
    },
    async endFamily(tx, uid, family, now) {
      const next = beginFamily(family + 1, now)
      await affectedBy(
        tx,
        sql`UPDATE ${table} SET token_family = ${next.family}, token_counter = ${next.counter},
            token_issued_at = ${next.issuedAt}, token_confirmed_at = ${next.confirmedAt}, token_late = ${next.late},
            application_session_id = NULL
          WHERE uid = ${uid} AND token_family = ${family}`,
      )
    },
    async touch(tx, uid, { address, now }, { family, counter }, confirms) {
      const arrived = confirms ? counter : -1
      const updated = await affectedBy(
        tx,
        sql`UPDATE ${table} SET last_address = ${address}, last_address_level = ${levelOf(address, null)},
            last_seen_at = CASE WHEN last_seen_at < ${now} THEN ${now} ELSE last_seen_at END,
            token_confirmed_at = CASE
              WHEN token_family = ${family} AND token_counter = ${arrived} AND token_confirmed_at IS NULL THEN ${now}
              ELSE token_confirmed_at END,
            credential_confirmed_at = CASE
              WHEN token_family = ${family} AND credential_confirmed_at IS NULL THEN ${now}
              ELSE credential_confirmed_at END
          WHERE uid = ${uid}`,
      )
      return isThere(tx, uid, updated)
    },
  }
}

/**
 * Says after an update whether the row exists. On an application's MariaDB pool without FOUND_ROWS, no affected row may
 * also mean that it has these values already.
 */
function createIsThere({ sql, tables: { device } }: DeviceDatabase) {
  return async (
    tx: SqlExecutor,
    uid: string,
    affected: number,
    userId?: string,
  ): Promise<boolean> => {
    if (affected > 0) return true
    const [row] = await rowsOf(tx, sql`SELECT user_id FROM ${device} WHERE uid = ${uid}`)
    return row !== undefined && (userId === undefined || row['user_id'] === userId)
  }
}
