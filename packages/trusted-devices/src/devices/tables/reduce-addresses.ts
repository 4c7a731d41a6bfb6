import { expressionBuilder, type Kysely } from 'kysely'
import type { AddressCutoffs } from '../../privacy/address-policy.ts'
import type { DeviceRows } from './schema.ts'

const BATCH = 500 // Rows per statement. A long statement would delay logins.

type Cleared = Partial<Record<'address' | 'network' | 'city' | 'lastAddress' | 'lastNetwork', null>>

/**
 * Shortens or removes addresses that are too old, in batches. The age of `address` counts from the
 * login. The age of `lastAddress` counts from the last use.
 *
 * @returns the number of shortened or removed addresses
 */
export async function reduceAddresses(
  rows: Kysely<DeviceRows>,
  { shorten, remove }: AddressCutoffs,
): Promise<number> {
  const steps = [
    ['signedInAt', remove, { address: null, network: null, city: null }],
    ['lastSeenAt', remove, { lastAddress: null, lastNetwork: null }],
    ['signedInAt', shorten, { address: null }],
    ['lastSeenAt', shorten, { lastAddress: null }],
  ] as const
  let reduced = 0
  for (const [since, before, values] of steps) reduced += await clear(rows, since, before, values)
  return reduced
}

async function clear(
  rows: Kysely<DeviceRows>,
  since: 'signedInAt' | 'lastSeenAt',
  before: number,
  values: Cleared,
): Promise<number> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  const columns = Object.keys(values) as (keyof Cleared)[]
  const isSet = eb.or(columns.map((column) => eb(column, 'is not', null)))
  const isDue = eb.and([eb(since, '<', before), isSet])
  const due = rows.selectFrom('device').select('uid').where(isDue).orderBy('uid').limit(BATCH)
  let cleared = 0
  let found = await due.execute()
  while (found.length > 0) {
    const uids = found.map(({ uid }) => uid)
    const update = rows.updateTable('device').set(values).where('uid', 'in', uids)
    // Checks the condition again, because a login or a use may have written a newer address.
    cleared += Number((await update.where(isDue).executeTakeFirst()).numUpdatedRows)
    found = await due.where('uid', '>', uids.at(-1) ?? '').execute()
  }
  return cleared
}
