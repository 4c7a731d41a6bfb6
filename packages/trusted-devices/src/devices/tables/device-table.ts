import type { SqlExecutor } from '@quillgate/server/database'
import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { TokenState } from '../../tokens/token-state.ts'
import type { ActingDevice } from '../acting-device.ts'
import type { DeviceDatabase } from './device-database.ts'
import { type DeviceRecord, toCountries, toDeviceRecord } from './device-record.ts'
import { deviceWrites } from './device-writes.ts'
import { type DeviceRows, deviceTables } from './schema.ts'

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
 * Reads and writes devices. Functions take the executor of a transaction, or of the database for a
 * single statement. An update never inserts, writes only the columns that it is about, and says
 * whether the row was still there.
 */
export interface DeviceTable {
  find(tx: SqlExecutor, uid: string): Promise<DeviceRecord | null>
  /**
   * Returns the owner of a device, also of a revoked one, or null. It reads nothing else, so that
   * its time does not show whether there is one.
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
  /**
   * Stores that the token before the newest one was used late, unless the token was replaced
   * meanwhile.
   */
  updateLate(tx: SqlExecutor, uid: string, token: TokenState): Promise<void>
  /**
   * Stores the session of the application that the device belongs to. @returns whether the user has
   * the device
   */
  updateSession(tx: SqlExecutor, device: ActingDevice, sessionId: string): Promise<boolean>
  /**
   * Remembers a second factor. @param until milliseconds since the epoch @returns whether the user
   * has the device
   */
  updateSecondFactor(tx: SqlExecutor, device: ActingDevice, until: number): Promise<boolean>
  /**
   * Forgets the second factor of a user. @param uid null: on all devices @returns the devices that
   * had one
   */
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
 * Returns the condition for rows after a position. It starts with a plain comparison, because an
 * index cannot start at an OR.
 */
export function olderThan(after: DevicePosition['after']): Expression<SqlBool> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  if (after === null) return eb.and([])
  const { lastSeenAt, uid } = after
  return eb.and([
    eb('lastSeenAt', '<=', lastSeenAt),
    eb.or([eb('lastSeenAt', '<', lastSeenAt), eb('uid', '<', uid)]),
  ])
}

/** Creates the statements of an instance. */
export function createDeviceTable(db: DeviceDatabase): DeviceTable {
  return { ...reads(db), ...scans(db), ...deviceWrites(db) }
}

type Some<Name extends keyof DeviceTable> = Pick<DeviceTable, Name>

function reads({
  on,
  executor,
}: DeviceDatabase): Some<'find' | 'findOwner' | 'findBySession' | 'summarize' | 'findIdle'> {
  // Runs for each request whose device is not cached. To compile it each time would take as long as
  // to run it.
  const find = on(executor).selectFrom('device').selectAll().where('uid', '=', '').compile().sql
  return {
    async find(tx, uid) {
      const [row] = await tx.query(find, [uid])
      return row ? toDeviceRecord(deviceTables.read('device', row)) : null
    },
    async findOwner(tx, uid) {
      const live = on(tx).selectFrom('device').select('userId').where('uid', '=', uid)
      const revoked = on(tx).selectFrom('deviceRevoked').select('userId').where('uid', '=', uid)
      return (await live.unionAll(revoked).executeTakeFirst())?.userId ?? null
    },
    async findBySession(tx, userId, sessionId) {
      const rows = await on(tx)
        .selectFrom('device')
        .selectAll()
        .where('userId', '=', userId)
        .where('applicationSessionId', '=', sessionId)
        .execute()
      return rows.map(toDeviceRecord).find((record) => record.sessionId === sessionId) ?? null
    },
    async summarize(tx, userId, except) {
      const rows = await on(tx)
        .selectFrom('device')
        .select((eb) => ['countries', eb.fn.countAll().as('devices')])
        .where('userId', '=', userId)
        .where('uid', '<>', except)
        .groupBy('countries')
        .execute()
      return {
        count: rows.reduce((sum, { devices }) => sum + Number(devices), 0),
        countries: [...new Set(rows.flatMap(({ countries }) => toCountries(countries)))].sort(),
      }
    },
    async findIdle(tx, userId, except, limit) {
      const rows = await on(tx)
        .selectFrom('device')
        .select('uid')
        .where('userId', '=', userId)
        .where('uid', '<>', except)
        .orderBy('lastSeenAt')
        .orderBy('createdAt')
        .orderBy('uid')
        .limit(limit)
        .execute()
      return rows.map(({ uid }) => uid)
    },
  }
}

function scans({ on }: DeviceDatabase): Some<'findPage' | 'findStaleOwners' | 'countStale'> {
  return {
    async findPage(tx, userId, { limit, after }) {
      const rows = await on(tx)
        .selectFrom('device')
        .selectAll()
        .where('userId', '=', userId)
        .where(olderThan(after))
        .orderBy('lastSeenAt', 'desc')
        .orderBy('uid', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toDeviceRecord)
    },
    async findStaleOwners(tx, seenBefore, after, limit) {
      const rows = await on(tx)
        .selectFrom('device')
        .select('userId')
        .distinct()
        .where('lastSeenAt', '<', seenBefore)
        .where('userId', '>', after)
        .orderBy('userId')
        .limit(limit)
        .execute()
      return rows.map(({ userId }) => userId)
    },
    async countStale(tx, seenBefore) {
      const { stale } = await on(tx)
        .selectFrom('device')
        .select((eb) => eb.fn.countAll().as('stale'))
        .where('lastSeenAt', '<', seenBefore)
        .executeTakeFirstOrThrow()
      return Number(stale)
    },
  }
}
