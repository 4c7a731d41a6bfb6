import { Problem } from '@quillgate/server/core'
import type { TrustedDevice } from './tables/trusted-device.ts'

/**
 * The reason why a device was revoked. Applications may use their own reasons, such as
 * `password_changed`.
 *
 * - `api`: another device of the user revoked the device.
 * - `revoke_all`: the user revoked all devices.
 * - `logout`: the device signed out, or revoked itself with `DELETE`.
 * - `stale`: the device was unused for too long.
 * - `limit`: a login of the user exceeded `maxDevices`.
 * - `compromised`: a refresh token of the device was used twice.
 * - `user_deleted`, `user_deactivated`: the user was deleted or blocked.
 * - `reported`: the user followed the link "this wasn't me" in an alert.
 * - `application`: the application revoked the device and gave no reason.
 */
export type RevocationReason =
  | 'api'
  | 'revoke_all'
  | 'logout'
  | 'stale'
  | 'limit'
  | 'compromised'
  | 'user_deleted'
  | 'user_deactivated'
  | 'reported'
  | 'application'
  | (string & {})

/** The properties of every event. */
export interface EventBase {
  /** A UUID v7. Repeated deliveries of an event have the same id. */
  readonly eventId: string
  readonly at: Date
  readonly userId: string
  /**
   * The device as it was last stored. If the device was already revoked, some properties are empty.
   */
  readonly device: TrustedDevice
  /**
   * The uid of the device whose request caused the event. Null if the application or an expiry
   * caused the event.
   */
  readonly actor: string | null
}

/** A device was registered. */
export interface CreatedEvent extends EventBase {
  readonly kind: 'created'
  /** True for a recognized browser whose earlier device signed out, was stale or was evicted. */
  readonly returning: boolean
  /** True for the user's first device. A user who was deleted or erased counts as new. */
  readonly isFirst: boolean
  /** True if a `suspicious` event of the same login follows. */
  readonly suspicious: boolean
  /**
   * `login`: a login registered the device. `adopted`: `adopt` registered the device for a session
   * that began without a device.
   */
  readonly reason: 'login' | 'adopted'
}

/** A device was revoked. */
export interface RevokedEvent extends EventBase {
  readonly kind: 'revoked'
  readonly reason: RevocationReason
  /** The id of the application's own session on the device, or null. */
  readonly sessionId: string | null
}

/**
 * A new device signed in from a new country. None of the user's other devices has signed in from
 * there.
 */
export interface SuspiciousEvent extends EventBase {
  readonly kind: 'suspicious'
  readonly previousCountries: readonly string[]
  readonly reason: 'new_country'
}

/** Another party seems to have a token or credential of a device. */
export interface CompromisedEvent extends EventBase {
  readonly kind: 'compromised'
  readonly reason: 'refresh_token_reused' | 'device_credential_reused'
}

/**
 * An event in the form in which it is stored. The dispatcher converts events to payloads of
 * signals.
 */
export type DeviceEvent = CreatedEvent | RevokedEvent | SuspiciousEvent | CompromisedEvent

/** An event without the properties that `Change.addEvent` adds. */
export type DraftEvent = DeviceEvent extends infer Event
  ? Event extends DeviceEvent
    ? Omit<Event, 'eventId' | 'at' | 'userId'>
    : never
  : never

const LONGEST_REASON = 64 // Characters.

/** Returns whether a value is a valid reason. */
export function isReason(value: unknown): value is RevocationReason {
  if (typeof value !== 'string' || value.trim() === '' || !value.isWellFormed()) return false
  return [...value.slice(0, 200)].length <= LONGEST_REASON && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
}

/** Checks an option that is a reason. */
export function reason(value: unknown): RevocationReason | Problem {
  if (isReason(value)) return value
  return new Problem(`must be text of 1 to ${LONGEST_REASON} characters in one line`, value)
}
