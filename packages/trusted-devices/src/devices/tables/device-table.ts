import type { SqlExecutor } from '@quillgate/server/database'
import type {
  Expression,
  ExpressionBuilder,
  ExpressionOrFactory,
  Kysely,
  SqlBool,
  UpdateObject,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely'
import {
  beginGeneration,
  type TokenPosition,
  type TokenState,
} from '../../tokens/rotation-and-reuse.ts'
import type { DeviceKey } from '../acting-device.ts'
import {
  byActivity,
  type DeviceRecord,
  type DeviceUse,
  lastAddressColumns,
  loginColumns,
  toCountries,
  toDeviceRecord,
  tokenColumns,
  useColumns,
} from './device-record.ts'
import { type DeviceRows, deviceTables } from './schema.ts'

/** The properties that a user may change. A missing property is not changed. */
export interface DeviceChanges {
  readonly name?: string | undefined
  readonly canDeleteOthers?: boolean | undefined
  readonly canEditOthers?: boolean | undefined
}

/** A summary of a user's devices, except one. */
export interface OtherDevices {
  readonly count: number
  /** The countries that they signed in from, sorted. */
  readonly countries: readonly string[]
}

/** The position of a device in a list, newest activity first. */
export interface DevicePosition {
  readonly lastSeenAt: number
  readonly uid: string
}

/** A condition on columns of the device table. */
export type DeviceCondition = ExpressionOrFactory<DeviceRows, 'device', SqlBool>

type DeviceValues = UpdateObject<DeviceRows, 'device'>
type Update = UpdateQueryBuilder<DeviceRows, 'device', 'device', UpdateResult>

/**
 * The table of live devices. An update never inserts a row, and writes only the columns that it
 * changes.
 */
export class DeviceTable {
  /** A Kysely query builder whose statements run on the executor. */
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
    // The comparison of a database may ignore case.
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

  /**
   * Returns the uids of a user's least recently seen devices, except one. Devices with the same
   * time are sorted by creation.
   */
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

  /** Counts the devices that match a condition. */
  async count(which: DeviceCondition): Promise<number> {
    const { found } = await this.rows
      .selectFrom('device')
      .select((eb) => eb.fn.countAll().as('found'))
      .where(which)
      .executeTakeFirstOrThrow()
    return Number(found)
  }

  /** Returns the devices that match a condition, newest activity first. */
  async findPage(
    which: DeviceCondition,
    limit: number,
    after: DevicePosition | null = null,
  ): Promise<DeviceRecord[]> {
    const select = this.rows.selectFrom('device').selectAll().where(which)
    const page = after === null ? select : select.where((eb) => isAfter(eb, after))
    const rows = await page
      .orderBy('lastSeenAt', 'desc')
      .orderBy('uid', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toDeviceRecord)
  }

  /**
   * Returns the ids of users who have devices that match a condition, in ascending order.
   *
   * @param after only ids after this one are returned
   */
  async owners(which: DeviceCondition, after: string, limit: number): Promise<string[]> {
    const select = this.rows.selectFrom('device').select('userId').distinct()
    const rows = await select
      .where('userId', '>', after)
      .where(which)
      .orderBy('userId')
      .limit(limit)
      .execute()
    return rows.map(({ userId }) => userId)
  }

  async insert(record: DeviceRecord): Promise<void> {
    const { uid, userId, name, createdAt, canDeleteOthers, canEditOthers } = record.device
    const identity = { uid, userId, name, createdAt: createdAt.getTime() }
    const rights = { canDeleteOthers, canEditOthers, secondFactorUntil: null }
    const values = { ...identity, ...rights, ...loginColumns(record) }
    await this.rows.insertInto('device').values(values).execute()
  }

  /**
   * Writes some columns of a device of a user.
   *
   * @returns whether the device exists. If no row was affected, this is queried: on an
   * application's MariaDB pool without FOUND_ROWS, a row that already has these values is not
   * counted.
   */
  async update({ uid, userId }: DeviceKey, values: DeviceValues): Promise<boolean> {
    const update = this.rows.updateTable('device').set(values)
    if (await isAffected(update.where('uid', '=', uid).where('userId', '=', userId))) return true
    const row = await this.#ofUser(userId).select('uid').where('uid', '=', uid).executeTakeFirst()
    return row !== undefined
  }

  /** Writes the columns that a login of a known device changes. */
  async updateLogin(record: DeviceRecord): Promise<void> {
    await this.update(record.device, loginColumns(record))
  }

  /**
   * Forgets the second factor of a user.
   *
   * @param uid the device, or null for all devices
   * @returns the number of devices on which it was remembered
   */
  async clearSecondFactor(userId: string, uid: string | null): Promise<number> {
    const update = this.rows
      .updateTable('device')
      .set({ secondFactorUntil: null })
      .where('userId', '=', userId)
      .where('secondFactorUntil', 'is not', null)
    const cleared = uid === null ? update : update.where('uid', '=', uid)
    return Number((await cleared.executeTakeFirst()).numUpdatedRows)
  }

  /**
   * Replaces the token of a device if it is still `from`, and stores a use.
   *
   * @returns false if the token was replaced meanwhile
   */
  rotateToken(uid: string, from: TokenState, to: TokenState, use: DeviceUse): Promise<boolean> {
    const { address, now } = use
    const update = this.#withToken(uid, from).set((eb) => ({
      ...tokenColumns({ ...to, generation: from.generation }),
      lastSeenAt: now,
      ...lastAddressColumns(address),
      credentialConfirmedAt: eb.fn.coalesce('credentialConfirmedAt', eb.val(now)),
    }))
    return isAffected(update)
  }

  /**
   * Stores that the previous token was used late, unless the newest token was replaced meanwhile.
   */
  async updateLate(uid: string, token: TokenState): Promise<void> {
    await this.#withToken(uid, token).set({ tokenLate: token.late }).execute()
  }

  /** Ends a session by starting a new generation. Tokens of this generation are no longer valid. */
  async endGeneration(uid: string, generation: number, now: number): Promise<void> {
    await this.rows
      .updateTable('device')
      .set({ ...tokenColumns(beginGeneration(generation + 1, now)), applicationSessionId: null })
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .execute()
  }

  /**
   * Stores a use of a device with a token of the same generation as `token`. Such a use shows that
   * the device credential of the login arrived.
   *
   * @param confirms true if the use shows that `token` itself arrived
   * @returns whether the device exists
   */
  touch(device: DeviceKey, use: DeviceUse, token: TokenState, confirms: boolean): Promise<boolean> {
    return this.update(device, useColumns(use, token, confirms))
  }

  /**
   * Removes the devices of a user that match a condition, under the owner's lock.
   *
   * @returns the deleted devices, least recently seen first
   */
  async remove(userId: string, which: DeviceCondition): Promise<DeviceRecord[]> {
    const remove = this.rows.deleteFrom('device').where('userId', '=', userId).where(which)
    return (await remove.returningAll().execute()).map(toDeviceRecord).sort(byActivity)
  }

  /** Removes one device of a user. */
  removeOne({ uid, userId }: DeviceKey): Promise<DeviceRecord[]> {
    return this.remove(userId, (eb) => eb('uid', '=', uid))
  }

  /** Removes all devices of a user, or all except one. */
  removeAll(userId: string, except = ''): Promise<DeviceRecord[]> {
    return this.remove(userId, (eb) => eb('uid', '<>', except))
  }

  #ofUser(userId: string) {
    return this.rows.selectFrom('device').where('userId', '=', userId)
  }

  #withToken(uid: string, { generation, counter }: TokenPosition): Update {
    return this.rows
      .updateTable('device')
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .where('tokenCounter', '=', counter)
  }
}

/**
 * Returns the condition for the devices after a position. It starts with a plain comparison,
 * because an index scan cannot start at an OR.
 */
export function isAfter(
  eb: ExpressionBuilder<DeviceRows, 'device'>,
  { lastSeenAt, uid }: DevicePosition,
): Expression<SqlBool> {
  return eb.and([
    eb('lastSeenAt', '<=', lastSeenAt),
    eb.or([eb('lastSeenAt', '<', lastSeenAt), eb('uid', '<', uid)]),
  ])
}

/**
 * Returns the SQL that finds a device by its uid. It is compiled only once, because it runs for
 * each request, and compiling takes as long as running it.
 */
export function selectDevice(rows: Kysely<DeviceRows>): string {
  return rows.selectFrom('device').selectAll().where('uid', '=', '').compile().sql
}

async function isAffected(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}
