import {
  cases,
  identifier,
  list,
  type Row,
  raw,
  type SqlExecutor,
  type SqlFragment,
  toNumber,
} from '@quillgate/server/database'
import { type AddressLevel, addressLevel, levelOf } from '../../privacy/address-level.ts'
import type { AddressPolicy, AddressStep } from '../../privacy/address-policy.ts'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'

/** Reduces the addresses of devices as they grow old. Each statement may run again; nothing needs to be finished. */
export interface DeviceAddresses {
  /** Reduces addresses of all users, in batches. @returns how many */
  reduce(executor: SqlExecutor, now: number): Promise<number>
  /** Reduces addresses of one user: one batch of each kind, which is more than a person has. */
  reduceOf(tx: SqlExecutor, userId: string, now: number): Promise<void>
  /** How many addresses {@link DeviceAddresses.reduce} would reduce. */
  count(executor: SqlExecutor, now: number): Promise<number>
}

/** An address of a device and what belongs to it. */
interface AddressColumns {
  readonly address: SqlFragment
  readonly level: SqlFragment
  /** Since when it is known. */
  readonly at: SqlFragment
  readonly hasCity: boolean
}

/** The reduced address of one device. */
interface Reduced {
  readonly uid: string
  readonly address: string | null
  readonly level: AddressLevel
}

const COLUMNS: readonly AddressColumns[] = [
  { ...columns('address', 'address_level', 'signed_in_at'), hasCity: true },
  { ...columns('last_address', 'last_address_level', 'last_seen_at'), hasCity: false },
]

const BATCH = 200 // Three parameters each: below every engine's limit.

/** Creates the statements of an instance. */
export function createDeviceAddresses(db: DeviceDatabase, policy: AddressPolicy): DeviceAddresses {
  const { sql, tables } = db
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
          const [row] = await rowsOf(
            executor,
            sql`SELECT COUNT(*) AS due FROM ${tables.device} WHERE ${level} = ${step.level} AND ${at} < ${step.before}`,
          )
          count += toNumber(row?.['due'])
        }
      }
      return count
    },
  }
}

function findDue(
  { sql, tables: { device: table } }: DeviceDatabase,
  tx: SqlExecutor,
  { address, level, at }: AddressColumns,
  step: AddressStep,
  userId: string | null,
) {
  return rowsOf(
    tx,
    userId === null
      ? sql`SELECT uid, ${address} AS kept, city FROM ${table}
          WHERE ${level} = ${step.level} AND ${at} < ${step.before} ORDER BY ${at} LIMIT ${BATCH}`
      : sql`SELECT uid, ${address} AS kept, city FROM ${table}
          WHERE user_id = ${userId} AND ${level} = ${step.level} AND ${at} < ${step.before} LIMIT ${BATCH}`,
  )
}

/** @param rows of the same new level */
function write(
  { sql, tables: { device: table } }: DeviceDatabase,
  tx: SqlExecutor,
  { address, level, at, hasCity }: AddressColumns,
  step: AddressStep,
  rows: Group,
) {
  const [newLevel, reduced] = rows
  const kept = reduced.some((row) => row.address !== null)
  const value = kept
    ? cases(
        'uid',
        reduced.map((row) => [row.uid, row.address] as const),
      )
    : raw('NULL')
  const city = hasCity && !step.keepsCity ? raw(', city = NULL') : raw('')
  const uids = list(reduced.map(({ uid }) => uid))
  // The condition is repeated because a login or a use may have written a younger address.
  return affectedBy(
    tx,
    sql`UPDATE ${table} SET ${address} = ${value}${city}, ${level} = ${newLevel}
      WHERE uid IN (${uids}) AND ${level} = ${step.level} AND ${at} < ${step.before}`,
  )
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

/** Returns whether a user has anything that is due. For nearly every login this is the only statement. */
async function hasDue(
  { sql, tables: { device: table } }: DeviceDatabase,
  tx: SqlExecutor,
  userId: string,
  steps: readonly AddressStep[],
): Promise<boolean> {
  const before = (level: AddressLevel): number =>
    Math.max(-1, ...steps.filter((step) => step.level === level).map((step) => step.before))
  const [full, network] = [before(addressLevel.full), before(addressLevel.network)]
  const rows = await rowsOf(
    tx,
    sql`SELECT uid FROM ${table} WHERE user_id = ${userId} AND (
        (address_level = ${addressLevel.full} AND signed_in_at < ${full})
        OR (address_level = ${addressLevel.network} AND signed_in_at < ${network})
        OR (last_address_level = ${addressLevel.full} AND last_seen_at < ${full})
        OR (last_address_level = ${addressLevel.network} AND last_seen_at < ${network})) LIMIT 1`,
  )
  return rows.length > 0
}

type Group = readonly [level: AddressLevel, rows: readonly Reduced[]]

function columns(address: string, level: string, at: string): Omit<AddressColumns, 'hasCity'> {
  return { address: identifier(address), level: identifier(level), at: identifier(at) }
}

function reduceRow(row: Row, { hasCity }: AddressColumns, step: AddressStep): Reduced {
  const address = step.reduce(row['kept'] === null ? null : String(row['kept']))
  const city = hasCity && step.keepsCity && row['city'] !== null ? String(row['city']) : null
  return { uid: String(row['uid']), address, level: levelOf(address, city) }
}
