import type { SqlExecutor } from '@quillgate/server/database'
import {
  type Expression,
  expressionBuilder,
  type SqlBool,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import { levelOf } from '../../privacy/address-level.ts'
import { beginFamily, type TokenState } from '../../tokens/token-state.ts'
import type { ActingDevice } from '../acting-device.ts'
import type { DeviceDatabase } from './device-database.ts'
import {
  type DeviceRecord,
  loginColumns,
  toCountries,
  toDeviceRecord,
  tokenColumns,
} from './device-record.ts'
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
  return { ...reads(db), ...scans(db), ...logins(db), ...edits(db), ...tokens(db) }
}

type Some<Name extends keyof DeviceTable> = Pick<DeviceTable, Name>

function reads({
  on,
  executor,
}: DeviceDatabase): Some<'find' | 'findOwner' | 'findBySession' | 'summarize' | 'findIdle'> {
  // Runs for each request whose device is not cached. To compile it each time would take as long as to run it.
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

type Update = UpdateQueryBuilder<DeviceRows, 'device', 'device', UpdateResult>

/** Runs an update of one row. @returns whether it was affected */
async function isAffected(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

function logins(db: DeviceDatabase): Some<'insert' | 'updateLogin' | 'updateSession'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    async insert(tx, record) {
      const { uid, userId, name, createdAt, canDeleteOthers, canEditOthers } = record.device
      const identity = { uid, userId, name, createdAt: createdAt.getTime() }
      const rights = { canDeleteOthers, canEditOthers, secondFactorUntil: null }
      const values = { ...identity, ...rights, ...loginColumns(record) }
      await on(tx).insertInto('device').values(values).execute()
    },
    updateLogin: (tx, record) =>
      runUpdate(tx, { uid: record.device.uid }, (update) => update.set(loginColumns(record))),
    updateSession: (tx, { uid, userId }, sessionId) =>
      runUpdate(tx, { uid, userId }, (update) => update.set({ applicationSessionId: sessionId })),
  }
}

function edits(
  db: DeviceDatabase,
): Some<'updateMembers' | 'updateProof' | 'updateSecondFactor' | 'clearSecondFactor'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    updateMembers: (tx, uid, { name, canDeleteOthers, canEditOthers }) =>
      runUpdate(tx, { uid }, (update) =>
        // Without changes it writes the key, because an UPDATE needs a column.
        update.set({ uid, name, canDeleteOthers, canEditOthers }),
      ),
    updateProof: (tx, uid, now) =>
      runUpdate(tx, { uid }, (update) => update.set({ provedAt: now })),
    updateSecondFactor: (tx, { uid, userId }, until) =>
      runUpdate(tx, { uid, userId }, (update) => update.set({ secondFactorUntil: until })),
    async clearSecondFactor(tx, userId, uid) {
      const rows = await on(tx)
        .selectFrom('device')
        .select('uid')
        .where('userId', '=', userId)
        .where('secondFactorUntil', 'is not', null)
        .execute()
      const uids = rows.map((row) => row.uid).filter((one) => uid === null || one === uid)
      for (const one of uids) {
        const update = on(tx).updateTable('device').set({ secondFactorUntil: null })
        await update.where('uid', '=', one).execute()
      }
      return uids
    },
  }
}

function tokens(db: DeviceDatabase): Some<'rotateToken' | 'updateLate' | 'endFamily' | 'touch'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    rotateToken: (tx, uid, from, to, { address, now }) =>
      isAffected(
        on(tx)
          .updateTable('device')
          .set((eb) => ({
            ...tokenColumns({ ...to, family: from.family }),
            lastSeenAt: now,
            lastAddress: address,
            lastAddressLevel: levelOf(address, null),
            credentialConfirmedAt: eb.fn.coalesce('credentialConfirmedAt', eb.val(now)),
          }))
          .where('uid', '=', uid)
          .where('tokenFamily', '=', from.family)
          .where('tokenCounter', '=', from.counter),
      ),
    async updateLate(tx, uid, { family, counter, late }) {
      await on(tx)
        .updateTable('device')
        .set({ tokenLate: late })
        .where('uid', '=', uid)
        .where('tokenFamily', '=', family)
        .where('tokenCounter', '=', counter)
        .execute()
    },
    async endFamily(tx, uid, family, now) {
      await on(tx)
        .updateTable('device')
        .set({ ...tokenColumns(beginFamily(family + 1, now)), applicationSessionId: null })
        .where('uid', '=', uid)
        .where('tokenFamily', '=', family)
        .execute()
    },
    touch: (tx, uid, use, token, confirms) =>
      runUpdate(tx, { uid }, (update) => withUse(update, use, token, confirms)),
  }
}

/** Sets the last use of a device, and the first use of its newest token and credential. */
function withUse(
  update: Update,
  { address, now }: DeviceUse,
  { family, counter }: TokenState,
  confirms: boolean,
): Update {
  return update.set((eb) => {
    const isOfFamily = eb('tokenFamily', '=', family)
    const isNewest = eb.and([isOfFamily, eb('tokenCounter', '=', counter)])
    const firstUse = (
      column: 'tokenConfirmedAt' | 'credentialConfirmedAt',
      condition: Expression<SqlBool>,
    ) =>
      eb
        .case()
        .when(eb.and([condition, eb(column, 'is', null)]))
        .then(now)
        .else(eb.ref(column))
        .end()
    return {
      lastAddress: address,
      lastAddressLevel: levelOf(address, null),
      lastSeenAt: eb.case().when('lastSeenAt', '<', now).then(now).else(eb.ref('lastSeenAt')).end(),
      ...(confirms ? { tokenConfirmedAt: firstUse('tokenConfirmedAt', isNewest) } : {}),
      credentialConfirmedAt: firstUse('credentialConfirmedAt', isOfFamily),
    }
  })
}

/**
 * Returns a function that updates one row and returns whether the row exists. On an application's MariaDB pool without
 * FOUND_ROWS, no affected row may also mean that it has these values already.
 */
function createUpdate({ on }: DeviceDatabase) {
  return async (
    tx: SqlExecutor,
    { uid, userId }: { readonly uid: string; readonly userId?: string },
    set: (update: Update) => Update,
  ): Promise<boolean> => {
    const update = set(on(tx).updateTable('device')).where('uid', '=', uid)
    if (await isAffected(userId === undefined ? update : update.where('userId', '=', userId)))
      return true
    const select = on(tx).selectFrom('device').select('userId').where('uid', '=', uid)
    const row = await select.executeTakeFirst()
    return row !== undefined && (userId === undefined || row.userId === userId)
  }
}
