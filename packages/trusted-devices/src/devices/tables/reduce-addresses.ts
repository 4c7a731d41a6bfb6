import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import {
  type AddressLevel,
  type AddressPolicy,
  type AddressStep,
  levelOf,
} from '../../privacy/address-policy.ts'
import type { DeviceRows } from './schema.ts'

/** The columns of one address of a device. */
interface AddressColumns {
  readonly address: 'address' | 'lastAddress'
  readonly level: 'addressLevel' | 'lastAddressLevel'
  /** When it was stored. */
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

/**
 * Reduces the addresses of all users that are too old, in batches. Each statement can run again.
 *
 * @param now milliseconds since the epoch
 * @returns the number of addresses
 */
export async function reduceAddresses(
  rows: Kysely<DeviceRows>,
  policy: AddressPolicy,
  now: number,
): Promise<number> {
  let reduced = 0
  for (const [step, columns] of dueSteps(policy, now)) {
    for (let isLast = false; !isLast; ) {
      const batch = await reduceBatch(rows, columns, step, null)
      reduced += batch.reduced
      isLast = batch.isLast
    }
  }
  return reduced
}

/** Reduces the addresses of one user: one batch of each kind, which is more than a person has. */
export async function reduceAddressesOf(
  rows: Kysely<DeviceRows>,
  policy: AddressPolicy,
  userId: string,
  now: number,
): Promise<void> {
  const steps = dueSteps(policy, now)
  if (steps.length === 0) return
  const isDue = expressionBuilder<DeviceRows, 'device'>().or(steps.map(conditionOf))
  const select = rows.selectFrom('device').select('uid').where('userId', '=', userId)
  // For nearly every login this is the only statement.
  if ((await select.where(isDue).limit(1).execute()).length === 0) return
  for (const [step, columns] of steps) await reduceBatch(rows, columns, step, userId)
}

/** Counts the addresses that {@link reduceAddresses} would reduce. */
export async function countAddresses(
  rows: Kysely<DeviceRows>,
  policy: AddressPolicy,
  now: number,
): Promise<number> {
  let count = 0
  for (const step of dueSteps(policy, now)) {
    const { due } = await rows
      .selectFrom('device')
      .select((eb) => eb.fn.countAll().as('due'))
      .where(conditionOf(step))
      .executeTakeFirstOrThrow()
    count += Number(due)
  }
  return count
}

type DueStep = readonly [step: AddressStep, columns: AddressColumns]

function dueSteps(policy: AddressPolicy, now: number): DueStep[] {
  return policy.steps(now).flatMap((step) => COLUMNS.map((columns): DueStep => [step, columns]))
}

function conditionOf([step, { level, at }]: DueStep): Expression<SqlBool> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  return eb.and([eb(level, '=', step.level), eb(at, '<', step.before)])
}

async function reduceBatch(
  rows: Kysely<DeviceRows>,
  columns: AddressColumns,
  step: AddressStep,
  userId: string | null,
): Promise<{ readonly reduced: number; readonly isLast: boolean }> {
  const { address, at, hasCity } = columns
  const select = rows
    .selectFrom('device')
    .select(['uid', 'address', 'lastAddress', 'city'])
    .where(conditionOf([step, columns]))
    .limit(BATCH)
  const due = userId === null ? select.orderBy(at) : select.where('userId', '=', userId)
  const found = (await due.execute()).map((row): Reduced => {
    const reduced = step.reduce(row[address])
    const city = hasCity && step.keepsCity ? row.city : null
    return { uid: row.uid, address: reduced, level: levelOf(reduced, city) }
  })
  let reduced = 0
  for (const [level, group] of Map.groupBy(found, (row) => row.level))
    reduced += await write(rows, [step, columns], level, group)
  return { reduced, isLast: found.length < BATCH }
}

/** Writes addresses of the same new level. @returns how many */
async function write(
  rows: Kysely<DeviceRows>,
  due: DueStep,
  newLevel: AddressLevel,
  reduced: readonly Reduced[],
): Promise<number> {
  const [step, { address, level, hasCity }] = due
  const isKept = reduced.some((row) => row.address !== null)
  const whens = reduced.map((row) => sql`when ${row.uid} then ${row.address}`)
  const uids = reduced.map(({ uid }) => uid)
  const update = rows
    .updateTable('device')
    .set({
      [address]: isKept ? sql`case ${sql.ref('uid')} ${sql.join(whens, sql` `)} end` : null,
      ...(hasCity && !step.keepsCity ? { city: null } : {}),
      [level]: newLevel,
    })
    .where('uid', 'in', uids)
    // Again, because a login or a use may have written a younger address.
    .where(conditionOf(due))
  return Number((await update.executeTakeFirst()).numUpdatedRows)
}
