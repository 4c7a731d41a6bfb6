import type { Location } from '../../network/location.ts'
import type { UserAgentInfo } from '../../network/user-agent.ts'
import type { DerivedTokenClaims } from '../../tokens/derived-token.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { RevokedDevice } from '../tables/revoked-table.ts'

/** The data of a login or of an adoption. */
export interface LoginAttempt extends UserAgentInfo, Location {
  readonly userId: string
  readonly address: string | null
  /** The verified device credential of this user, or null. */
  readonly credential: Credential | null
  /** The id of the application's own session, or null. */
  readonly sessionId: string | null
}

/** The claims of a device credential. */
export type Credential = Pick<DerivedTokenClaims, 'uid' | 'counter'>

type Former = DeviceRecord | RevokedDevice

/**
 * The result of recognizing a browser.
 *
 * - `known`: the device was not revoked, and the browser sent its current or its previous
 *   credential. The previous credential is accepted until `refreshGrace` after the first use of the
 *   current one.
 * - `returning`: the browser sent an accepted credential of a device that was revoked for a
 *   harmless reason. The browser gets a new device.
 * - `new`: every other login. `before` is the live or revoked device that the credential names, or
 *   null. `reused` is true if the credential is older than the accepted credentials. Two parties
 *   then have copies of it.
 */
export type Recognition =
  | { readonly kind: 'known'; readonly device: DeviceRecord; readonly isCurrent: boolean }
  | { readonly kind: 'returning'; readonly before: RevokedDevice }
  | { readonly kind: 'new'; readonly before: Former | null; readonly reused: false }
  | { readonly kind: 'new'; readonly before: Former; readonly reused: true }

/**
 * Decides whether a login belongs to the device that its credential names. A live device is one
 * that was not revoked.
 *
 * @param confirmedBefore the time `refreshGrace` ago, in milliseconds since the epoch. If the
 * current credential was confirmed earlier, the previous one is no longer accepted.
 */
export function recognize(
  live: DeviceRecord | null,
  revoked: RevokedDevice | null,
  credential: Credential | null,
  confirmedBefore: number,
): Recognition {
  const named = live ?? revoked
  // The value is -1 if there is no credential or if its device does not exist. If the database was
  // restored from an older backup, the credential can be newer than the row, and the value is
  // negative.
  const behind = named && credential ? named.credentialCounter - credential.counter : -1
  if (!named || behind < 0) return { kind: 'new', before: null, reused: false }
  const { credentialConfirmedAt } = named
  const isOver = credentialConfirmedAt !== null && credentialConfirmedAt < confirmedBefore
  if (behind > 1 || (behind === 1 && isOver)) return { kind: 'new', before: named, reused: true }
  if (live) return { kind: 'known', device: live, isCurrent: behind === 0 }
  if (revoked?.mayReturn) return { kind: 'returning', before: revoked }
  return { kind: 'new', before: revoked, reused: false }
}
