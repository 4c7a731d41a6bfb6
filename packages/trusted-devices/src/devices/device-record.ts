import { type Row, toBoolean, toNumber } from '@quillgate/database'
import type { TokenState } from '../tokens/token-state.ts'
import { TrustedDevice } from './trusted-device.ts'

/** A row of the device table: the device that users see, and the state that they do not. */
export interface DeviceRecord {
  readonly device: TrustedDevice
  readonly token: TokenState
  /** Position of the newest device credential. */
  readonly credentialCounter: number
  /** When somebody last entered a password on it, in milliseconds since the epoch. */
  readonly provedAt: number
  /** The application's own session that this device belongs to; none but its receivers get it. */
  readonly sessionId: string | null
}

/** Reads a row. */
export function toDeviceRecord(row: Row): DeviceRecord {
  const at = (column: string): Date => new Date(toNumber(row[column]))
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
      secondFactorRememberedUntil: row['second_factor_until'] === null ? null : at('second_factor_until'),
    }),
    token: {
      family: toNumber(row['token_family']),
      counter: toNumber(row['token_counter']),
      issuedAt: toNumber(row['token_issued_at']),
      confirmedAt: row['token_confirmed_at'] === null ? null : toNumber(row['token_confirmed_at']),
    },
    credentialCounter: toNumber(row['credential_counter']),
    provedAt: toNumber(row['proved_at']),
    sessionId: optional('application_session_id'),
  }
}

/** Least recently seen first; ties by creation, then by uid. The order of eviction and of `device_revoked` signals. */
export function byActivity(a: DeviceRecord, b: DeviceRecord): number {
  return (
    a.device.lastSeenAt.getTime() - b.device.lastSeenAt.getTime() ||
    a.device.createdAt.getTime() - b.device.createdAt.getTime() ||
    (a.device.uid < b.device.uid ? -1 : 1)
  )
}
