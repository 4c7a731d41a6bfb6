import { type Row, type SqlExecutor, toBoolean, toNumber } from '@quillgate/server/database'
import type { PersonalData } from '../../privacy/personal-data.ts'
import type { DeviceAddresses } from './device-addresses.ts'
import { affectedBy, type DeviceDatabase, rowsOf } from './device-database.ts'
import { toCountries } from './device-record.ts'

/**
 * The personal data in the registry's own tables, in the order in which it is read: a device that is revoked meanwhile
 * moves from the first to the second, so it is in the export at least once. The lock of the owner goes last.
 */
export function registryPersonalData(
  { sql, tables }: DeviceDatabase,
  addresses: DeviceAddresses,
): PersonalData[] {
  const { device, revoked, owner } = tables
  const eraseFrom = (table: typeof device) => async (tx: SqlExecutor, userId: string) => {
    await affectedBy(tx, sql`DELETE FROM ${table} WHERE user_id = ${userId}`)
  }
  const read = async (
    tx: SqlExecutor,
    statement: ReturnType<typeof sql>,
    write: (row: Row) => unknown,
  ) => (await rowsOf(tx, statement)).map(write)
  return [
    {
      name: 'devices',
      export: (tx, userId) =>
        read(
          tx,
          sql`SELECT * FROM ${device} WHERE user_id = ${userId} ORDER BY created_at, uid`,
          toDevice,
        ),
      erase: eraseFrom(device),
      reduceAddresses: addresses.reduce,
      countAddresses: addresses.count,
    },
    {
      name: 'revoked_devices',
      export: (tx, userId) =>
        read(
          tx,
          sql`SELECT * FROM ${revoked} WHERE user_id = ${userId} ORDER BY revoked_at, uid`,
          toRevokedDevice,
        ),
      erase: eraseFrom(revoked),
    },
    {
      name: 'first_login_at',
      async export(tx, userId) {
        const [row] = await rowsOf(
          tx,
          sql`SELECT created_at FROM ${owner} WHERE user_id = ${userId}`,
        )
        return row ? time(row, 'created_at') : null
      },
      erase: eraseFrom(owner),
    },
  ]
}

function toDevice(row: Row): object {
  return {
    ...common(row),
    city: text(row, 'city'),
    address: text(row, 'address'),
    last_address: text(row, 'last_address'),
    user_agent: text(row, 'user_agent'),
    browser: text(row, 'browser'),
    os: text(row, 'os'),
    device_type: text(row, 'device_type'),
    signed_in_at: time(row, 'signed_in_at'),
    proved_at: time(row, 'proved_at'),
    second_factor_until: time(row, 'second_factor_until'),
  }
}

function toRevokedDevice(row: Row): object {
  return {
    ...common(row),
    may_return: toBoolean(row['may_return']),
    revoked_at: time(row, 'revoked_at'),
  }
}

function common(row: Row): object {
  return {
    uid: text(row, 'uid'),
    name: text(row, 'name'),
    country: text(row, 'country'),
    countries: toCountries(row['countries']),
    created_at: time(row, 'created_at'),
    last_seen_at: time(row, 'last_seen_at'),
    can_delete_others: toBoolean(row['can_delete_others']),
    can_edit_others: toBoolean(row['can_edit_others']),
  }
}

function text(row: Row, column: string): string | null {
  return row[column] == null ? null : String(row[column])
}

function time(row: Row, column: string): string | null {
  return row[column] == null ? null : new Date(toNumber(row[column])).toISOString()
}
