import type { RevocationReason } from '../devices/device-event.ts'
import type { DeviceRegistry, UserOperations } from '../devices/registry.ts'
import type { TrustedDevice, UnregisteredDevice } from '../devices/trusted-device.ts'
import type { DeletedUser, User } from '../devices/users.ts'

/** The part of an instance that receivers may use. */
export interface EventSender {
  readonly registry: DeviceRegistry
  readonly users: UserOperations
}

/** The properties of every event. */
export interface EventPayload {
  /** The class of the devices. */
  readonly sender: typeof TrustedDevice
  /** The instance that sent the event. */
  readonly instance: EventSender
  /** UUID v7. The same event delivered twice has the same id. */
  readonly eventId: string
  readonly at: Date
  /**
   * uid of the device whose request caused the event; null when the application or the passing of
   * time did.
   */
  readonly actor: string | null
}

/** A new device was registered by a login. */
export interface DeviceCreated extends EventPayload {
  readonly user: User
  readonly device: TrustedDevice
  /**
   * True when this browser had a device before, which signed out, became stale or had to make room:
   * no reason for an alarm. False after it was revoked for any other reason.
   */
  readonly returning: boolean
  /** True for the first device of a user who was not known here before. */
  readonly isFirst: boolean
  /**
   * True when `suspicious_login` follows for the same login: who sends mails of both may leave this
   * one out.
   */
  readonly suspicious: boolean
  /** `adopted`: by `adopt`, for a session that began without a device. */
  readonly reason: 'login' | 'adopted'
}

/** A device was deleted. */
export interface DeviceRevoked extends EventPayload {
  /** The owner; only `{ id }` when `users.findById` no longer knows them. */
  readonly user: User | DeletedUser
  readonly deviceUid: string
  /** The device as it last was. */
  readonly device: TrustedDevice
  readonly reason: RevocationReason
  /** The application's own session that belonged to it, or null. Destroy it in its store. */
  readonly sessionId: string | null
}

/** A new device signed in from a country that is not among those of the user's existing devices. */
export interface SuspiciousLogin extends EventPayload {
  readonly user: User
  readonly device: TrustedDevice
  /**
   * Countries of the devices that existed when the user signed in, including those that this login
   * revoked.
   */
  readonly previousCountries: Set<string>
  readonly reason: 'new_country'
}

/**
 * Another party seems to have the secrets of a device. After a reused refresh token it is already
 * revoked.
 */
export interface DeviceCompromised extends EventPayload {
  readonly user: User | DeletedUser
  readonly deviceUid: string
  /**
   * The device as it last was. Of one that was revoked before, only name, country, times and
   * permissions are known.
   */
  readonly device: TrustedDevice
  readonly reason: 'refresh_token_reused' | 'device_credential_reused'
}

/**
 * A login was refused although its password was right, because the user has `maxDevices` devices
 * already.
 */
export interface LoginRefused extends EventPayload {
  readonly user: User
  readonly device: UnregisteredDevice
  readonly reason: 'device_limit_reached'
}
