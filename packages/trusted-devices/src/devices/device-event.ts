import { Problem } from '@quillgate/server/core'
import type { TrustedDevice } from './trusted-device.ts'

/**
 * Why a device was revoked. Applications may give reasons of their own, such as `password_changed`.
 * `api`: by another device; `revoke_all`: with all of them; `logout`: by itself, also with DELETE;
 * `stale`: unused for too long; `limit`: evicted by a login over the limit; `compromised`: its
 * refresh token was used twice; `user_deleted`, `user_deactivated`: with its user; `reported`: by
 * "this wasn't me" of an alert; `application`: by the application, without a reason.
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
  | 'application'
  | (string & {})

/** The properties of every event. */
export interface EventBase {
  /** UUID v7, the same at each delivery of this event. */
  readonly eventId: string
  readonly at: Date
  readonly userId: string
  /** The device whose request caused it; null when the application or the passing of time did. */
  readonly actor: string | null
}

/** A device was registered. */
export interface CreatedEvent extends EventBase {
  readonly kind: 'created'
  readonly device: TrustedDevice
  /**
   * True when this browser had a device before, which signed out, became stale or had to make room.
   */
  readonly returning: boolean
  /** True for the first device of a user who was not known here before. */
  readonly isFirst: boolean
  /** True when a suspicious event of the same login follows. */
  readonly suspicious: boolean
  /** `adopted`: by `adopt`, for a session that began without a device. */
  readonly reason: 'login' | 'adopted'
}

/** A device is no more. */
export interface RevokedEvent extends EventBase {
  readonly kind: 'revoked'
  /** As it last was. */
  readonly device: TrustedDevice
  readonly reason: RevocationReason
  /**
   * The application's own session that belonged to it, or null. It never leaves the application.
   */
  readonly sessionId: string | null
}

/** A new device signed in from a country that none of the user's other devices is known from. */
export interface SuspiciousEvent extends EventBase {
  readonly kind: 'suspicious'
  readonly device: TrustedDevice
  readonly previousCountries: readonly string[]
  readonly reason: 'new_country'
}

/** Another party seems to have the secrets of a device. */
export interface CompromisedEvent extends EventBase {
  readonly kind: 'compromised'
  /** As it last was; of one that was revoked before, see `RevokedDevice`. */
  readonly device: TrustedDevice
  readonly reason: 'refresh_token_reused' | 'device_credential_reused'
}

/** An event of a device. It does not depend on its receivers. */
export type DeviceEvent = CreatedEvent | RevokedEvent | SuspiciousEvent | CompromisedEvent

/** An event before it has its id and time. */
export type DraftEvent = DeviceEvent extends infer Event
  ? Event extends DeviceEvent
    ? Omit<Event, 'eventId' | 'at' | 'userId'>
    : never
  : never

/** The result of an operation, and the events to publish after the commit. */
export interface Outcome<Result> {
  readonly result: Result
  readonly events: readonly DeviceEvent[]
}

const LONGEST_REASON = 64 // Characters.

/** Returns true for a reason: one line of 1 to 64 characters that is not blank. */
export function isReason(value: unknown): value is RevocationReason {
  if (typeof value !== 'string' || value.trim() === '' || !value.isWellFormed()) return false
  return [...value.slice(0, 200)].length <= LONGEST_REASON && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
}

/** Accepts a reason. */
export function reason(value: unknown): RevocationReason | Problem {
  if (isReason(value)) return value
  return new Problem(`must be text of 1 to ${LONGEST_REASON} characters in one line`, value)
}
