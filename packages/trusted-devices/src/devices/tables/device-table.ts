import type { SqlExecutor } from '@quillgate/server/database'
import type { Expression, Kysely, SqlBool, UpdateQueryBuilder, UpdateResult } from 'kysely'
import { levelOf } from '../../privacy/address-policy.ts'
import {
  beginGeneration,
  type TokenPosition,
  type TokenState,
} from '../../tokens/rotation-and-reuse.ts'
import {
  byActivity,
  type DeviceRecord,
  type DeviceRow,
  type DeviceUse,
  loginColumns,
  toCountries,
  toDeviceRecord,
  tokenColumns,
  useColumns,
} from './device-record.ts'
import { type DeviceRows, deviceTables } from './schema.ts'

/** The properties that a user may change. An absent one stays as it is. */
export interface DeviceChanges {
  readonly name?: string | undefined
  readonly canDeleteOthers?: boolean | undefined
  readonly canEditOthers?: boolean | undefined
}

/** A user's devices, except one. */
export interface OtherDevices {
  readonly count: number
  /** The countries that they signed in from, sorted. */
  readonly countries: readonly string[]
}

/** The key of one row. With `userId`, the row must belong to this user. */
interface Key {
  readonly uid: string
  readonly userId?: string
}

type Update = UpdateQueryBuilder<DeviceRows, 'device', 'device', UpdateResult>

const BATCH = 500 // Below every engine's limit of parameters.

/**
 * The devices that exist. An update never inserts, writes only the columns that it is about, and
 * returns whether the row exists. The functions that remove devices run under the owner's lock.
 * They return the rows that they deleted themselves, least recently seen first.
 */
export class DeviceTable {
  /** Kysely's query builder on the executor. */
  readonly rows: Kysely<DeviceRows>
  readonly #executor: SqlExecutor
  readonly #find: string

  /** @param find the SQL of {@link selectDevice} */
  constructor(executor: SqlExecutor, rows: Kysely<DeviceRows>, find: string) {
    this.rows = rows
    this.#executor = executor
    this.#find = find
  }

  async find(uid: string): Promise<DeviceRecord | null> {
    const [row] = await this.#executor.query(this.#find, [uid])
    return row ? toDeviceRecord(deviceTables.read('device', row)) : null
  }

  /** Returns the device of a user that belongs to this session of the application, or null. */
  async findBySession(userId: string, sessionId: string): Promise<DeviceRecord | null> {
    const rows = await this.#ofUser(userId)
      .selectAll()
      .where('applicationSessionId', '=', sessionId)
      .execute()
    // A database may ignore case.
    return rows.map(toDeviceRecord).find((record) => record.sessionId === sessionId) ?? null
  }

  /** Counts the devices of a user, except one, and collects their countries. */
  async summarize(userId: string, except: string): Promise<OtherDevices> {
    const rows = await this.#ofUser(userId)
      .select((eb) => ['countries', eb.fn.countAll().as('devices')])
      .where('uid', '<>', except)
      .groupBy('countries')
      .execute()
    return {
      count: rows.reduce((sum, { devices }) => sum + Number(devices), 0),
      countries: [...new Set(rows.flatMap(({ countries }) => toCountries(countries)))].sort(),
    }
  }

  /** Returns the least recently seen devices of a user, except one. Ties by creation. */
  async findIdle(userId: string, except: string, limit: number): Promise<string[]> {
    const rows = await this.#ofUser(userId)
      .select('uid')
      .where('uid', '<>', except)
      .orderBy('lastSeenAt')
      .orderBy('createdAt')
      .orderBy('uid')
      .limit(limit)
      .execute()
    return rows.map(({ uid }) => uid)
  }

  /** Counts the devices that a condition means. */
  async count(condition: Expression<SqlBool>): Promise<number> {
    const { found } = await this.rows
      .selectFrom('device')
      .select((eb) => eb.fn.countAll().as('found'))
      .where(condition)
      .executeTakeFirstOrThrow()
    return Number(found)
  }

  async insert(record: DeviceRecord): Promise<void> {
    const { uid, userId, name, createdAt, canDeleteOthers, canEditOthers } = record.device
    const identity = { uid, userId, name, createdAt: createdAt.getTime() }
    const rights = { canDeleteOthers, canEditOthers, secondFactorUntil: null }
    const values = { ...identity, ...rights, ...loginColumns(record) }
    await this.rows.insertInto('device').values(values).execute()
  }

  /** Writes what a login of a known device changes. */
  updateLogin(record: DeviceRecord): Promise<boolean> {
    return this.#update({ uid: record.device.uid }, (update) => update.set(loginColumns(record)))
  }

  updateMembers(uid: string, changes: DeviceChanges): Promise<boolean> {
    const { name, canDeleteOthers, canEditOthers } = changes
    // Without changes it writes the key, because an UPDATE needs a column.
    return this.#update({ uid }, (update) =>
      update.set({ uid, name, canDeleteOthers, canEditOthers }),
    )
  }

  /** Stores that a password was entered. */
  updateProof(uid: string, now: number): Promise<boolean> {
    return this.#update({ uid }, (update) => update.set({ provedAt: now }))
  }

  /** Stores the session of the application that the device belongs to. */
  updateSession({ uid, userId }: Required<Key>, sessionId: string): Promise<boolean> {
    return this.#update({ uid, userId }, (update) =>
      update.set({ applicationSessionId: sessionId }),
    )
  }

  /** Remembers a second factor. @param until milliseconds since the epoch */
  updateSecondFactor({ uid, userId }: Required<Key>, until: number): Promise<boolean> {
    return this.#update({ uid, userId }, (update) => update.set({ secondFactorUntil: until }))
  }

  /**
   * Forgets the second factor of a user. @param uid null: on all devices @returns the devices that
   * had one
   */
  async clearSecondFactor(userId: string, uid: string | null): Promise<string[]> {
    const rows = await this.#ofUser(userId)
      .select('uid')
      .where('secondFactorUntil', 'is not', null)
      .execute()
    const uids = rows.map((row) => row.uid).filter((one) => uid === null || one === uid)
    for (const one of uids) {
      const update = this.rows.updateTable('device').set({ secondFactorUntil: null })
      await update.where('uid', '=', one).execute()
    }
    return uids
  }

  /** Replaces the token if it is still `from`, and stores the use. @returns false if it is not */
  rotateToken(uid: string, from: TokenState, to: TokenState, use: DeviceUse): Promise<boolean> {
    const { address, now } = use
    const update = this.#withToken(uid, from).set((eb) => ({
      ...tokenColumns({ ...to, generation: from.generation }),
      lastSeenAt: now,
      lastAddress: address,
      lastAddressLevel: levelOf(address, null),
      credentialConfirmedAt: eb.fn.coalesce('credentialConfirmedAt', eb.val(now)),
    }))
    return isAffected(update)
  }

  /**
   * Stores that the token before the newest one was used late, unless the token was replaced
   * meanwhile.
   */
  async updateLate(uid: string, token: TokenState): Promise<void> {
    await this.#withToken(uid, token).set({ tokenLate: token.late }).execute()
  }

  /** Ends a session: tokens of this generation are no longer valid. */
  async endGeneration(uid: string, generation: number, now: number): Promise<void> {
    await this.rows
      .updateTable('device')
      .set({ ...tokenColumns(beginGeneration(generation + 1, now)), applicationSessionId: null })
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .execute()
  }

  /**
   * Stores a use with a token of the generation of `token`: the device credential of its login arrived.
   *
   * @param confirms whether `token` itself arrived, if it is still the newest one
   */
  touch(uid: string, use: DeviceUse, token: TokenState, confirms: boolean): Promise<boolean> {
    return this.#update({ uid }, (update) =>
      update.set((eb) => useColumns(eb, use, token, confirms)),
    )
  }

  async removeThese(userId: string, uids: readonly string[]): Promise<DeviceRecord[]> {
    const removed: DeviceRow[] = []
    for (let start = 0; start < uids.length; start += BATCH) {
      const some = this.#remove(userId).where('uid', 'in', uids.slice(start, start + BATCH))
      removed.push(...(await some.execute()))
    }
    return sorted(removed)
  }

  /** Removes all devices of a user, except one. */
  async removeAll(userId: string, except = ''): Promise<DeviceRecord[]> {
    return sorted(await this.#remove(userId).where('uid', '<>', except).execute())
  }

  /** Removes the devices of a user that were last seen before a time, except one. */
  async removeStale(userId: string, seenBefore: number, except = ''): Promise<DeviceRecord[]> {
    const stale = this.#remove(userId).where('uid', '<>', except)
    return sorted(await stale.where('lastSeenAt', '<', seenBefore).execute())
  }

  /** Removes a device whose token is of the same generation as a reused one, and newer. */
  async removeReused(
    userId: string,
    uid: string,
    { generation, counter }: TokenPosition,
  ): Promise<DeviceRecord[]> {
    const device = this.#remove(userId)
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
    return sorted(await device.where('tokenCounter', '>', counter).execute())
  }

  #ofUser(userId: string) {
    return this.rows.selectFrom('device').where('userId', '=', userId)
  }

  #remove(userId: string) {
    return this.rows.deleteFrom('device').where('userId', '=', userId).returningAll()
  }

  #withToken(uid: string, { generation, counter }: TokenPosition): Update {
    return this.rows
      .updateTable('device')
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .where('tokenCounter', '=', counter)
  }

  /**
   * Updates one row. On an application's MariaDB pool without FOUND_ROWS, no affected row may also
   * mean that it has these values already.
   */
  async #update({ uid, userId }: Key, set: (update: Update) => Update): Promise<boolean> {
    const update = set(this.rows.updateTable('device')).where('uid', '=', uid)
    if (await isAffected(userId === undefined ? update : update.where('userId', '=', userId)))
      return true
    const select = this.rows.selectFrom('device').select('userId').where('uid', '=', uid)
    const row = await select.executeTakeFirst()
    return row !== undefined && (userId === undefined || row.userId === userId)
  }
}

/**
 * Returns the SQL that finds a device. It runs for each request whose device is not cached, and
 * compiling it takes as long as running it.
 */
export function selectDevice(rows: Kysely<DeviceRows>): string {
  return rows.selectFrom('device').selectAll().where('uid', '=', '').compile().sql
}

async function isAffected(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

function sorted(rows: readonly DeviceRow[]): DeviceRecord[] {
  return rows.map(toDeviceRecord).sort(byActivity)
}
