import type { SqlExecutor } from '@quillgate/server/database'
import { sql } from 'kysely'
import { type AddressLevel, levelOf } from '../../privacy/address-level.ts'
import type { AddressPolicy, AddressStep } from '../../privacy/address-policy.ts'
import type { DeviceDatabase } from './device-database.ts'
import type { DeviceRow } from './device-record.ts'

/**
 * Reduces the addresses of devices as they grow old. Each statement may run again; nothing needs to
 * be finished.
 */
export interface DeviceAddresses {
  /** Reduces addresses of all users, in batches. @returns how many */
  reduce(executor: SqlExecutor, now: number): Promise<number>
  /** Reduces addresses of one user: one batch of each kind, which is more than a person has. */
  reduceOf(tx: SqlExecutor, userId: string, now: number): Promise<void>
  /** How many addresses {@link DeviceAddresses.reduce} would reduce. */
  count(executor: SqlExecutor, now: number): Promise<number>
}

/** The columns of one address of a device. */
interface AddressColumns {
  readonly address: 'address' | 'lastAddress'
  readonly level: 'addressLevel' | 'lastAddressLevel'
  /** Since when it is known. */
  readonly at: 'signedInAt' | 'lastSeenAt'
  readonly hasCity: boolean
}

/** The reduced address of one device. */
interface Reduced {
  readonly uid: string
  readonly address: string | null
  readonly level: AddressLevel
}

const COLUMNS: readonly AddressColumns[] = [
  { address: 'address', level: 'addressLevel', at: 'signedInAt', hasCity: true },
  { address: 'lastAddress', level: 'lastAddressLevel', at: 'lastSeenAt', hasCity: false },
]

const BATCH = 200 // Three parameters each: below every engine's limit.

/** Creates the statements of an instance. */
export function createDeviceAddresses(db: DeviceDatabase, policy: AddressPolicy): DeviceAddresses {
  return {
    async reduce(executor, now) {
      let reduced = 0
      for (const step of policy.steps(now)) {
        for (const one of COLUMNS) {
          for (let isLast = false; !isLast; ) {
            const batch = await reduceBatch(db, executor, one, step, null)
            reduced += batch.reduced
            isLast = batch.isLast
          }
        }
      }
      return reduced
    },
    async reduceOf(tx, userId, now) {
      const steps = policy.steps(now)
      if (!(await hasDue(db, tx, userId, steps))) return
      for (const step of steps)
        for (const one of COLUMNS) await reduceBatch(db, tx, one, step, userId)
    },
    async count(executor, now) {
      let count = 0
      for (const step of policy.steps(now)) {
        for (const { level, at } of COLUMNS) {
          const { due } = await db
            .on(executor)
            .selectFrom('device')
            .select((eb) => eb.fn.countAll().as('due'))
            .where(level, '=', step.level)
            .where(at, '<', step.before)
            .executeTakeFirstOrThrow()
          count += Number(due)
        }
      }
      return count
    },
  }
}

function findDue(
  { on }: DeviceDatabase,
  tx: SqlExecutor,
  { level, at }: AddressColumns,
  step: AddressStep,
  userId: string | null,
): Promise<DueRow[]> {
  const due = on(tx)
    .selectFrom('device')
    .select(['uid', 'address', 'lastAddress', 'city'])
    .where(level, '=', step.level)
    .where(at, '<', step.before)
    .limit(BATCH)
  return (userId === null ? due.orderBy(at) : due.where('userId', '=', userId)).execute()
}

/** Writes addresses of the same new level. @returns how many */
async function write(
  { on }: DeviceDatabase,
  tx: SqlExecutor,
  { address, level, at, hasCity }: AddressColumns,
  step: AddressStep,
  [newLevel, reduced]: Group,
): Promise<number> {
  const isKept = reduced.some((row) => row.address !== null)
  const whens = reduced.map((row) => sql`when ${row.uid} then ${row.address}`)
  const update = on(tx)
    .updateTable('device')
    .set({
      [address]: isKept ? sql`case ${sql.ref('uid')} ${sql.join(whens, sql` `)} end` : null,
      ...(hasCity && !step.keepsCity ? { city: null } : {}),
      [level]: newLevel,
    })
    .where(
      'uid',
      'in',
      reduced.map(({ uid }) => uid),
    )
    // Asked again, because a login or a use may have written a younger address.
    .where(level, '=', step.level)
    .where(at, '<', step.before)
  return Number((await update.executeTakeFirst()).numUpdatedRows)
}

async function reduceBatch(
  db: DeviceDatabase,
  tx: SqlExecutor,
  one: AddressColumns,
  step: AddressStep,
  userId: string | null,
) {
  const rows = await findDue(db, tx, one, step, userId)
  let reduced = 0
  for (const group of Map.groupBy(
    rows.map((row) => reduceRow(row, one, step)),
    ({ level }) => level,
  )) {
    reduced += await write(db, tx, one, step, group)
  }
  return { isLast: rows.length < BATCH, reduced }
}

/**
 * Returns whether a user has anything that is due. For nearly every login this is the only
 * statement.
 */
async function hasDue(
  { on }: DeviceDatabase,
  tx: SqlExecutor,
  userId: string,
  steps: readonly AddressStep[],
): Promise<boolean> {
  if (steps.length === 0) return false
  const rows = await on(tx)
    .selectFrom('device')
    .select('uid')
    .where('userId', '=', userId)
    .where((eb) =>
      eb.or(
        steps.flatMap((step) =>
          COLUMNS.map(({ level, at }) =>
            eb.and([eb(level, '=', step.level), eb(at, '<', step.before)]),
          ),
        ),
      ),
    )
    .limit(1)
    .execute()
  return rows.length > 0
}

type Group = readonly [level: AddressLevel, rows: readonly Reduced[]]

type DueRow = Pick<DeviceRow, 'uid' | 'address' | 'lastAddress' | 'city'>

function reduceRow(row: DueRow, { address, hasCity }: AddressColumns, step: AddressStep): Reduced {
  const reduced = step.reduce(row[address])
  const city = hasCity && step.keepsCity ? row.city : null
  return { uid: row.uid, address: reduced, level: levelOf(reduced, city) }
}
