import type { Settings } from '../../settings.ts'
import { beginFamily } from '../../tokens/token-state.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { PastDevice } from '../tables/past-devices.ts'
import { TrustedDevice } from '../trusted-device.ts'

/** What is known of a login when it reaches the registry. */
export interface Arrival {
  readonly userId: string
  readonly address: string | null
  readonly city: string | null
  readonly country: string | null
  readonly userAgent: string
  readonly browser: string | null
  readonly os: string | null
  readonly deviceType: string | null
  /** The name of a new device. */
  readonly name: string
  /** The genuine device credential of this user that came with the login, if one did. */
  readonly credential: { readonly uid: string; readonly counter: number } | null
  /** The application's own session that begins with this login, if it has one. */
  readonly sessionId?: string | null
}

/**
 * What the device credential of a login says:
 * - `new`: there is none, or it says nothing any more.
 * - `known`: the newest one, or the one before it, while nobody has used what came with the newest and for
 *   `refreshGrace` after that: it is this device.
 * - `returning`: the same, but its device signed out, became stale or had to make room: a known browser, a new device.
 * - `distrusted`: the same, but its device was revoked for a reason, or has a successor already: a new device.
 * - `outdated`: an older one, or the one before after that: somebody else went on with a copy. A new device, and an alarm for the old one.
 */
export type Recognition =
  | { readonly kind: 'new' }
  | { readonly kind: 'known'; readonly record: DeviceRecord }
  | { readonly kind: 'returning' | 'distrusted' | 'outdated'; readonly before: TrustedDevice }

/**
 * Decides which of the user's devices has come.
 *
 * @param record the device that the credential names, if it is there
 * @param past the revoked device that it names, if that is remembered
 * @param overAt when the newest credential must have been confirmed for the one before it to be over, in milliseconds
 * since the epoch: `refreshGrace` ago
 */
export function recognise(
  record: DeviceRecord | null,
  past: PastDevice | null,
  credential: Arrival['credential'],
  overAt: number,
): Recognition {
  const named = record ?? past
  if (!credential || !named) return { kind: 'new' }
  const ahead = credential.counter - named.credentialCounter
  if (ahead > 0) return { kind: 'new' } // Of a future that a restored database does not know.
  const { credentialConfirmedAt } = named
  const isOver = credentialConfirmedAt !== null && credentialConfirmedAt < overAt
  if (ahead < -1 || (ahead === -1 && isOver)) return { kind: 'outdated', before: named.device }
  if (record) return { kind: 'known', record }
  return { kind: past?.isTrusted ? 'returning' : 'distrusted', before: named.device }
}

/**
 * The row of a new device. It has the rights of the device that this browser had before, or signing out and in again
 * would give back what was taken away; one that is not trusted has no more than the default.
 */
export function newRecord(
  arrival: Arrival,
  recognition: Recognition,
  uid: string,
  now: number,
  settings: Pick<Settings, 'defaultCanDeleteOthers' | 'defaultCanEditOthers'>,
  isSuspect: boolean,
): DeviceRecord {
  const { credential: _, ...members } = arrival
  const before = 'before' in recognition ? recognition.before : null
  const right = (had: boolean | undefined, initial: boolean): boolean =>
    recognition.kind === 'returning' ? (had ?? initial) : initial && had !== false
  const device = new TrustedDevice({
    ...members,
    uid,
    lastAddress: arrival.address,
    createdAt: new Date(now),
    lastSeenAt: new Date(now),
    canDeleteOthers: right(before?.canDeleteOthers, settings.defaultCanDeleteOthers),
    canEditOthers: right(before?.canEditOthers, settings.defaultCanEditOthers),
  })
  return {
    device,
    token: beginFamily(1, now),
    credentialCounter: 0,
    credentialConfirmedAt: null,
    provedAt: now,
    sessionId: arrival.sessionId ?? null,
    isSuspect,
  }
}

/**
 * The row of a known device after it signed in again. Its earlier session is over, unless it began a moment ago and its
 * answer may not have arrived: two tabs that sign in at once get the same session. An unknown place keeps the known one.
 *
 * @param grace milliseconds
 */
export function returnedRecord(
  record: DeviceRecord,
  arrival: Arrival,
  now: number,
  grace: number,
): DeviceRecord {
  const { credential, name: _, city, country, ...members } = arrival
  const isNewest = credential?.counter === record.credentialCounter
  const device = new TrustedDevice({
    ...record.device,
    ...members,
    ...(country === null ? {} : { city, country }),
    lastAddress: arrival.address,
    lastSeenAt: new Date(now),
    ...(isNewest ? {} : { secondFactorRememberedUntil: null }),
  })
  const { token } = record
  const isJustBegun = token.counter === 0 && Math.abs(now - token.issuedAt) < grace
  return {
    device,
    token: !isNewest && isJustBegun ? token : beginFamily(token.family + 1, now),
    // The one before the newest means that the newest never arrived: it is given again.
    credentialCounter: record.credentialCounter + (isNewest ? 1 : 0),
    credentialConfirmedAt: isNewest ? null : record.credentialConfirmedAt,
    provedAt: now,
    sessionId: arrival.sessionId ?? null,
    isSuspect: record.isSuspect,
  }
}

/** Why a new device is suspicious, or null. @param previous countries of the user's other devices */
export function suspicionOf(
  country: string | null,
  previous: readonly string[],
  unknownCountry: Settings['unknownCountry'],
): 'new_country' | 'unknown_country' | null {
  if (previous.length === 0) return null
  if (country === null) return unknownCountry === 'suspicious' ? 'unknown_country' : null
  return previous.includes(country) ? null : 'new_country'
}
