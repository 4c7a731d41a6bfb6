import { type Row, toBoolean, toNumber } from '@quillgate/server/database'
import type { TokenState } from '../../tokens/token-state.ts'
import { TrustedDevice } from '../trusted-device.ts'

/** A row of the device table: the device that users see, and the state that they do not. */
export interface DeviceRecord {
  readonly device: TrustedDevice
  readonly token: TokenState
  /** Position of the newest device credential. */
  readonly credentialCounter: number
  /**
   * When the session or tokens that came with the newest device credential were first used, which shows that it arrived,
   * in milliseconds since the epoch; null before that.
   */
  readonly credentialConfirmedAt: number | null
  /**
   * When a password was last entered on it, in milliseconds since the epoch. Null for an adopted device without a
   * password.
   */
  readonly provedAt: number | null
  /** The application's own session that this device belongs to; none but its receivers get it. */
  readonly sessionId: string | null
  /** The known countries of its logins, the latest one last. */
  readonly countries: readonly string[]
}

/** Characters for the countries of a device, as JSON. Longer lists lose the oldest countries. */
export const MAX_COUNTRIES = 2000

/** Returns the countries of a device after a login, which the newest one may be part of already. */
export function withCountry(countries: readonly string[], country: string | null): string[] {
  const all = [...countries.filter((known) => known !== country), ...(country ? [country] : [])]
  while (JSON.stringify(all).length > MAX_COUNTRIES) all.shift()
  return all
}

/** Reads a row. */
export function toDeviceRecord(row: Row): DeviceRecord {
  const at = (column: string): Date => new Date(toNumber(row[column]))
  const number = (column: string): number | null =>
    row[column] === null ? null : toNumber(row[column])
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => (row[column] === null ? null : text(column))
  return {
    device: new TrustedDevice({
      uid: text('uid'),
      userId: text('user_id'),
      name: text('name'),
      city: optional('city'),
      country: optional('country'),
      address: optional('address'),
      lastAddress: optional('last_address'),
      userAgent: text('user_agent'),
      browser: optional('browser'),
      os: optional('os'),
      deviceType: optional('device_type'),
      createdAt: at('created_at'),
      lastSeenAt: at('last_seen_at'),
      canDeleteOthers: toBoolean(row['can_delete_others']),
      canEditOthers: toBoolean(row['can_edit_others']),
      secondFactorRememberedUntil:
        row['second_factor_until'] === null ? null : at('second_factor_until'),
    }),
    token: {
      family: toNumber(row['token_family']),
      counter: toNumber(row['token_counter']),
      issuedAt: toNumber(row['token_issued_at']),
      confirmedAt: number('token_confirmed_at'),
      late: toNumber(row['token_late']),
    },
    credentialCounter: toNumber(row['credential_counter']),
    credentialConfirmedAt: number('credential_confirmed_at'),
    provedAt: number('proved_at'),
    sessionId: optional('application_session_id'),
    countries: toCountries(row['countries']),
  }
}

/** Reads the column `countries`. */
export function toCountries(value: unknown): string[] {
  return JSON.parse(String(value)) as string[]
}

/** Least recently seen first; ties by creation, then by uid. The order of eviction and of `device_revoked` signals. */
export function byActivity(a: DeviceRecord, b: DeviceRecord): number {
  return (
    a.device.lastSeenAt.getTime() - b.device.lastSeenAt.getTime() ||
    a.device.createdAt.getTime() - b.device.createdAt.getTime() ||
    (a.device.uid < b.device.uid ? -1 : 1)
  )
}
