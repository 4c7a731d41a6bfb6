import type { DeviceRecord } from '../tables/device-record.ts'
import type { RevokedDevice } from '../tables/revoked-table.ts'

/** A login attempt with a valid password, as the registry sees it. */
export interface LoginAttempt {
  readonly userId: string
  readonly address: string | null
  readonly city: string | null
  readonly country: string | null
  readonly userAgent: string
  readonly browser: string | null
  readonly os: string | null
  readonly deviceType: string | null
  /** The name that a new device gets. */
  readonly name: string
  /** The verified device credential of this user that came with the login, or null. */
  readonly credential: Credential | null
  /** The id of the application's own session that begins with this login, or null. */
  readonly sessionId: string | null
}

/** The claims of a device credential. */
export interface Credential {
  readonly uid: string
  readonly counter: number
}

/**
 * The result of recognising a browser.
 *
 * - `known`: a live device whose current credential was sent, or the previous one if the current
 *   one was not used yet or was first used at most `refreshGrace` ago.
 * - `returning`: an accepted credential of a device that was revoked for a harmless reason. The
 *   browser gets a new device.
 * - `new`: everything else. `before` is the device that the credential names, live or revoked.
 *   `reused`: the credential is older than the accepted ones, so two parties have had it.
 */
export type Recognition =
  | { readonly kind: 'known'; readonly device: DeviceRecord; readonly isCurrent: boolean }
  | { readonly kind: 'returning'; readonly before: RevokedDevice }
  | {
      readonly kind: 'new'
      readonly before: DeviceRecord | RevokedDevice | null
      readonly reused: false
    }
  | {
      readonly kind: 'new'
      readonly before: DeviceRecord | RevokedDevice
      readonly reused: true
    }

/**
 * Decides whether a login belongs to a known device.
 *
 * @param live the live device that the credential names, or null
 * @param revoked the revoked device that the credential names, or null if it is not stored
 * @param confirmedBefore the time `refreshGrace` ago, in milliseconds since the epoch. If the
 * current credential was confirmed earlier, the previous one is no longer accepted.
 */
export function recognise(
  live: DeviceRecord | null,
  revoked: RevokedDevice | null,
  credential: Credential | null,
  confirmedBefore: number,
): Recognition {
  const named = live ?? revoked
  // Negative: the credential was issued after the backup that the database was restored from.
  const behind = named && credential ? named.credentialCounter - credential.counter : -1
  if (!named || behind < 0) return { kind: 'new', before: null, reused: false }
  const { credentialConfirmedAt } = named
  const isOver = credentialConfirmedAt !== null && credentialConfirmedAt < confirmedBefore
  if (behind > 1 || (behind === 1 && isOver)) return { kind: 'new', before: named, reused: true }
  if (live) return { kind: 'known', device: live, isCurrent: behind === 0 }
  if (revoked?.mayReturn) return { kind: 'returning', before: revoked }
  return { kind: 'new', before: revoked, reused: false }
}
