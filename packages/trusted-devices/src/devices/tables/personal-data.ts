import type { SqlExecutor } from '@quillgate/server/database'
import type { Selectable } from 'kysely'
import type { PersonalData } from '../../privacy/personal-data.ts'
import type { DeviceDatabase } from './device-database.ts'
import { type DeviceRow, toCountries } from './device-record.ts'
import { reduceAddresses } from './reduce-addresses.ts'
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
