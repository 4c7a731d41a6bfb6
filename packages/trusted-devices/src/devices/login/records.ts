import type { Settings } from '../../settings.ts'
import { beginGeneration } from '../../tokens/rotation-and-reuse.ts'
import { type DeviceRecord, withCountry } from '../tables/device-record.ts'
import { TrustedDevice } from '../trusted-device.ts'
import type { LoginAttempt, Recognition } from './recognise.ts'

/**
 * Returns the row of a new device. A returning browser keeps the permissions of its former device,
 * because signing out and in again must not give back what was taken away. For the same reason
 * other browsers with a known credential get no default permission that their former device had
 * lost.
 *
 * @param now milliseconds since the epoch
 */
export function newRecord(
  attempt: LoginAttempt,
  recognition: Exclude<Recognition, { kind: 'known' }>,
  uid: string,
  now: number,
  settings: Pick<Settings, 'defaultCanDeleteOthers' | 'defaultCanEditOthers'>,
): DeviceRecord {
  const { credential: _, ...properties } = attempt
  const before = recognition.before?.device
  const permission = (had: boolean | undefined, initial: boolean): boolean =>
    recognition.kind === 'returning' ? (had ?? initial) : initial && had !== false
  const device = new TrustedDevice({
    ...properties,
    uid,
    lastAddress: attempt.address,
    createdAt: new Date(now),
    lastSeenAt: new Date(now),
    canDeleteOthers: permission(before?.canDeleteOthers, settings.defaultCanDeleteOthers),
    canEditOthers: permission(before?.canEditOthers, settings.defaultCanEditOthers),
    secondFactorRememberedUntil: null,
  })
  return {
    device,
    countries: withCountry([], attempt.country),
    token: beginGeneration(1, now),
    credentialCounter: 0,
    credentialConfirmedAt: null,
    provedAt: now,
    sessionId: attempt.sessionId,
  }
}

/**
 * Returns the row of a known device after it signed in again. Its earlier session ends, unless that
 * session has just begun and its answer may not have arrived: two tabs that sign in at once get the
 * same session. An unknown place keeps the known one.
 *
 * @param now milliseconds since the epoch
 * @param grace milliseconds
 */
export function signedInAgain(
  { device: record, isCurrent }: Extract<Recognition, { kind: 'known' }>,
  attempt: LoginAttempt,
  now: number,
  grace: number,
): DeviceRecord {
  const { credential: _, name: __, city, country, ...properties } = attempt
  const device = new TrustedDevice({
    ...record.device,
    ...properties,
    ...(country === null ? {} : { city, country }),
    lastAddress: attempt.address,
    lastSeenAt: new Date(now),
    ...(isCurrent ? {} : { secondFactorRememberedUntil: null }),
  })
  const { token } = record
  const isJustBegun = token.counter === 0 && Math.abs(now - token.issuedAt) < grace
  return {
    device,
    countries: withCountry(record.countries, country),
    token: !isCurrent && isJustBegun ? token : beginGeneration(token.generation + 1, now),
    // If the previous credential came, the current one never arrived. It is issued again.
    credentialCounter: record.credentialCounter + (isCurrent ? 1 : 0),
    credentialConfirmedAt: isCurrent ? null : record.credentialConfirmedAt,
    provedAt: now,
    sessionId: attempt.sessionId,
  }
}
