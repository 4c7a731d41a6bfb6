import {
  type Expression,
  expressionBuilder,
  type Kysely,
  type SqlBool,
  type UpdateObject,
} from 'kysely'
import type { AddressCutoffs } from '../../privacy/address-policy.ts'
import type { DeviceRows } from './schema.ts'

interface Reduction {
  readonly isDue: Expression<SqlBool>
  readonly values: UpdateObject<DeviceRows, 'device'>
}

const BATCH = 500 // Rows per statement. Transactions must be short, so that logins do not wait.

/**
 * Shortens or removes addresses that are too old, in batches. Each statement can safely run again.
 *
 * @returns the number of updates of addresses
 */
export async function reduceAddresses(
  rows: Kysely<DeviceRows>,
  cutoffs: AddressCutoffs,
): Promise<number> {
  let reduced = 0
  for (const { isDue, values } of reductionsFor(cutoffs)) {
    const due = rows.selectFrom('device').select('uid').where(isDue).orderBy('uid').limit(BATCH)
    let found = await due.execute()
    while (found.length > 0) {
      const uids = found.map(({ uid }) => uid)
      const update = rows.updateTable('device').set(values).where('uid', 'in', uids)
      // Repeats the condition, because a login or a use may have written a newer address.
      reduced += Number((await update.where(isDue).executeTakeFirst()).numUpdatedRows)
      found = await due.where('uid', '>', uids.at(-1) ?? '').execute()
    }
  }
  return reduced
}

/**
 * Returns the updates for old addresses. The age of `address` counts from the login, and that of
 * `lastAddress` from the last use.
 */
function reductionsFor({ shorten, remove }: AddressCutoffs): Reduction[] {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  const isSet = (...columns: ('address' | 'network' | 'city' | 'lastAddress' | 'lastNetwork')[]) =>
    eb.or(columns.map((column) => eb(column, 'is not', null)))
  const removeLogin = eb.and([eb('signedInAt', '<', remove), isSet('address', 'network', 'city')])
  const removeUse = eb.and([eb('lastSeenAt', '<', remove), isSet('lastAddress', 'lastNetwork')])
  const shortenLogin = eb.and([
    eb('signedInAt', '<', shorten),
    eb('signedInAt', '>=', remove),
    isSet('address'),
  ])
  const shortenUse = eb.and([
    eb('lastSeenAt', '<', shorten),
    eb('lastSeenAt', '>=', remove),
    isSet('lastAddress'),
  ])
  return [
    { isDue: removeLogin, values: { address: null, network: null, city: null } },
    { isDue: removeUse, values: { lastAddress: null, lastNetwork: null } },
    { isDue: shortenLogin, values: { address: null } },
    { isDue: shortenUse, values: { lastAddress: null } },
  ]
}
