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
import {
  byActivity,
  type DeviceKey,
  type DeviceRecord,
  type DeviceRow,
  type DeviceUse,
  lastAddressColumns,
  loginColumns,
  toCountries,
  toDeviceRecord,
  tokenColumns,
} from './device-record.ts'
import { type DeviceRows, deviceTables } from './schema.ts'

/** The position of a device in a list, newest activity first. */
export type DevicePosition = Pick<DeviceRow, 'lastSeenAt' | 'uid'>

/** A condition on columns of the device table. */
export type DeviceCondition = ExpressionOrFactory<DeviceRows, 'device', SqlBool>

type Update = UpdateQueryBuilder<DeviceRows, 'device', 'device', UpdateResult>

/** The table of live devices. Updates never insert a row. */
export class DeviceTable {
  readonly #rows: Kysely<DeviceRows>
  readonly #executor: SqlExecutor
  readonly #find: string

  /** @param find the SQL that {@link selectDevice} returned */
  constructor(executor: SqlExecutor, rows: Kysely<DeviceRows>, find: string) {
    this.#rows = rows
    this.#executor = executor
    this.#find = find
  }

  async find(uid: string): Promise<DeviceRecord | null> {
    const [row] = await this.#executor.query(this.#find, [uid])
    return row ? toDeviceRecord(deviceTables.read('device', row)) : null
  }

  /** Returns null if the device does not exist or belongs to another user. */
  async findOwn({ uid, userId }: DeviceKey): Promise<DeviceRecord | null> {
    const record = await this.find(uid)
    return record?.device.userId === userId ? record : null
  }

  async findBySession(userId: string, sessionId: string): Promise<DeviceRecord | null> {
    const row = await this.#ofUser(userId)
      .selectAll()
      .where('applicationSessionId', '=', sessionId)
      .executeTakeFirst()
    return row ? toDeviceRecord(row) : null
  }

  async summarize(
    userId: string,
    except: string,
  ): Promise<{ readonly count: number; readonly countries: readonly string[] }> {
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

  /** Returns the uids of a user's least recently seen devices. */
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

  async count(which: DeviceCondition): Promise<number> {
    const { found } = await this.#rows
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
    const select = this.#rows.selectFrom('device').selectAll().where(which)
    const page = after === null ? select : select.where((eb) => isAfter(eb, after))
    const sorted = page.orderBy('lastSeenAt', 'desc').orderBy('uid', 'desc').limit(limit)
    return (await sorted.execute()).map(toDeviceRecord)
  }

  async insert(record: DeviceRecord): Promise<void> {
    const { uid, userId, name, createdAt, canDeleteOthers, canEditOthers } = record.device
    const identity = { uid, userId, name, createdAt: createdAt.getTime() }
    const rights = { canDeleteOthers, canEditOthers, secondFactorUntil: null }
    const values = { ...identity, ...rights, ...loginColumns(record) }
    await this.#rows.insertInto('device').values(values).execute()
  }

  /**
   * Updates a device, and returns whether it exists. A MariaDB pool without FOUND_ROWS does not
   * count a row that already has these values. If the count is 0, a query therefore checks whether
   * the row exists.
   */
  async update(
    { uid, userId }: DeviceKey,
    values: UpdateObject<DeviceRows, 'device'>,
  ): Promise<boolean> {
    const update = this.#rows.updateTable('device').set(values)
    if (await isAffected(update.where('uid', '=', uid).where('userId', '=', userId))) return true
    const row = await this.#ofUser(userId).select('uid').where('uid', '=', uid).executeTakeFirst()
    return row !== undefined
  }

  /**
   * Forgets the second factor on one device. If `uid` is null, forgets it on all devices of the
   * user. Returns the number of changed devices.
   */
  async clearSecondFactor(userId: string, uid: string | null): Promise<number> {
    const update = this.#rows
      .updateTable('device')
      .set({ secondFactorUntil: null })
      .where('userId', '=', userId)
      .where('secondFactorUntil', 'is not', null)
    const cleared = uid === null ? update : update.where('uid', '=', uid)
    return Number((await cleared.executeTakeFirst()).numUpdatedRows)
  }

  /**
   * Replaces a token and stores a use of the device. Returns false if another request has replaced
   * the token or revoked the device.
   */
  rotateToken(
    uid: string,
    from: TokenState,
    to: TokenState,
    { address, now }: DeviceUse,
  ): Promise<boolean> {
    const update = this.#withToken(uid, from).set((eb) => ({
      ...tokenColumns({ ...to, generation: from.generation }),
      lastSeenAt: now,
      ...lastAddressColumns(address),
      credentialConfirmedAt: eb.fn.coalesce('credentialConfirmedAt', eb.val(now)),
    }))
    return isAffected(update)
  }

  /**
   * Stores that the previous token was used late. Does nothing if another request has replaced
   * `token`.
   */
  async updateLate(uid: string, token: TokenState): Promise<void> {
    await this.#withToken(uid, token).set({ tokenLate: token.late }).execute()
  }

  /** Ends a session generation and its tokens. Does nothing if a newer generation has begun. */
  async endGeneration(uid: string, generation: number, now: number): Promise<void> {
    await this.#rows
      .updateTable('device')
      .set({ ...tokenColumns(beginGeneration(generation + 1, now)), applicationSessionId: null })
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .execute()
  }

  /** Deletes devices of a user. Returns them, least recently seen first. */
  async remove(userId: string, which: DeviceCondition): Promise<DeviceRecord[]> {
    const remove = this.#rows.deleteFrom('device').where('userId', '=', userId).where(which)
    return (await remove.returningAll().execute()).map(toDeviceRecord).sort(byActivity)
  }

  removeAll(userId: string, except = ''): Promise<DeviceRecord[]> {
    return this.remove(userId, (eb) => eb('uid', '<>', except))
  }

  #ofUser(userId: string) {
    return this.#rows.selectFrom('device').where('userId', '=', userId)
  }

  #withToken(uid: string, { generation, counter }: TokenPosition): Update {
    return this.#rows
      .updateTable('device')
      .where('uid', '=', uid)
      .where('tokenGeneration', '=', generation)
      .where('tokenCounter', '=', counter)
  }
}

/**
 * Returns the condition for the devices after a position. The condition begins with a plain
 * comparison, because databases cannot use the index for an OR.
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
 * Returns the SQL that finds a device by its uid. The statement runs for each request. Compiling it
 * takes as long as running it, so it is compiled only once.
 */
export function selectDevice(rows: Kysely<DeviceRows>): string {
  return rows.selectFrom('device').selectAll().where('uid', '=', '').compile().sql
}

async function isAffected(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}
