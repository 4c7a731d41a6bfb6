import { beginGeneration } from '../../tokens/rotation-and-reuse.ts'
import { createUuid } from '../../uuid.ts'
import type { Change } from '../changes.ts'
import { type DeviceRecord, withCountry } from '../tables/device-record.ts'
import { TrustedDevice } from '../tables/trusted-device.ts'
import type { LoginAttempt, Recognition } from './recognize.ts'

/**
 * Returns the record of a new device. A returning browser keeps the permissions of its previous
 * device, because signing out and in again must not restore a permission that was removed. A
 * browser that was not recognized but sent the credential of a device gets no permission that this
 * device lacks.
 */
export function newRecord(
  { now, settings }: Change,
  recognition: Exclude<Recognition, { kind: 'known' }>,
  { credential: _, ...attempt }: LoginAttempt,
): DeviceRecord {
  const before = recognition.before?.device
  const permission = (had: boolean | undefined, initial: boolean): boolean =>
    recognition.kind === 'returning' ? (had ?? initial) : initial && had !== false
  const device = new TrustedDevice({
    ...attempt,
    uid: createUuid(now),
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
 * Returns the record of a known device after it signed in again. The previous session usually ends.
 * It continues if it has just begun and the browser sent the previous credential, because the
 * browser may not have received the token of this session. Two tabs that sign in at the same time
 * therefore get the same session. If the country of the login is unknown, keeps the stored place.
 */
export function signedInAgain(
  { now, settings }: Change,
  { device: record, isCurrent }: Extract<Recognition, { kind: 'known' }>,
  { credential: _, name: __, city, country, ...attempt }: LoginAttempt,
): DeviceRecord {
  const device = new TrustedDevice({
    ...record.device,
    ...attempt,
    ...(country === null ? {} : { city, country }),
    lastAddress: attempt.address,
    lastSeenAt: new Date(now),
    ...(isCurrent ? {} : { secondFactorRememberedUntil: null }),
  })
  const { token } = record
  const grace = settings.refreshGrace * 1000
  const isJustBegun = token.counter === 0 && Math.abs(now - token.issuedAt) < grace
  return {
    device,
    countries: withCountry(record.countries, country),
    token: !isCurrent && isJustBegun ? token : beginGeneration(token.generation + 1, now),
    // If the browser sent the previous credential, it has not received the current one. The current
    // one is then issued again.
    credentialCounter: record.credentialCounter + (isCurrent ? 1 : 0),
    credentialConfirmedAt: isCurrent ? null : record.credentialConfirmedAt,
    provedAt: now,
    sessionId: attempt.sessionId,
  }
}
