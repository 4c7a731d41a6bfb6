import type { SqlExecutor } from '@quillgate/server/database'
import { expressionBuilder, type Kysely, type Selectable } from 'kysely'
import type { AddressCutoffs } from '../../privacy/address-policy.ts'
import type { PersonalData } from '../../privacy/personal-data.ts'
import type { DeviceDatabase } from './device-database.ts'
import { type DeviceRow, toCountries } from './device-record.ts'
import type { DeviceRows } from './schema.ts'

type RevokedRow = Selectable<DeviceRows['deviceRevoked']>

/**
 * Returns the personal data in the tables of devices. Exports read the tables in this order. If a
 * device is revoked during an export, it moves from the first table to the second. The export
 * therefore contains it at least once. The owner's row is erased last, because transactions lock
 * this row.
 */
export function registryPersonalData(db: DeviceDatabase): PersonalData[] {
  type Table = 'device' | 'deviceRevoked' | 'deviceOwner'
  const eraseFrom = (table: Table) => async (tx: SqlExecutor, userId: string) => {
    await db.on(tx).deleteFrom(table).where('userId', '=', userId).execute()
  }
  return [
    {
      name: 'devices',
      async export(tx, userId) {
        const select = db.on(tx).selectFrom('device').selectAll().where('userId', '=', userId)
        return (await select.orderBy('createdAt').orderBy('uid').execute()).map(toDevice)
      },
      erase: eraseFrom('device'),
      reduceAddresses: (executor, cutoffs) => reduceAddresses(db.on(executor), cutoffs),
    },
    {
      name: 'revoked_devices',
      async export(tx, userId) {
        const select = db.on(tx).selectFrom('deviceRevoked').selectAll()
        const sorted = select.where('userId', '=', userId).orderBy('revokedAt').orderBy('uid')
        return (await sorted.execute()).map(toRevokedDevice)
      },
      erase: eraseFrom('deviceRevoked'),
    },
    {
      name: 'first_login_at',
      async export(tx, userId) {
        const select = db.on(tx).selectFrom('deviceOwner').select('createdAt')
        const row = await select.where('userId', '=', userId).executeTakeFirst()
        return row ? time(row.createdAt) : null
      },
      erase: eraseFrom('deviceOwner'),
    },
  ]
}

function toDevice(row: DeviceRow): object {
  return {
    ...common(row),
    city: row.city,
    address: row.address ?? row.network,
    last_address: row.lastAddress ?? row.lastNetwork,
    user_agent: row.userAgent,
    browser: row.browser,
    os: row.os,
    device_type: row.deviceType,
    signed_in_at: time(row.signedInAt),
    proved_at: time(row.provedAt),
    second_factor_until: time(row.secondFactorUntil),
  }
}

function toRevokedDevice(row: RevokedRow): object {
  return { ...common(row), may_return: row.mayReturn, revoked_at: time(row.revokedAt) }
}

function common(row: DeviceRow | RevokedRow): object {
  return {
    uid: row.uid,
    name: row.name,
    country: row.country,
    countries: toCountries(row.countries),
    created_at: time(row.createdAt),
    last_seen_at: time(row.lastSeenAt),
    can_delete_others: row.canDeleteOthers,
    can_edit_others: row.canEditOthers,
  }
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

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
