import type {
  CompromisedEvent,
  CreatedEvent,
  RefusedEvent,
  RevokedEvent,
  SuspiciousEvent,
} from '../devices/device-event.ts'
import type { DeviceRegistry } from '../devices/registry.ts'
import type { TrustedDevice, UnregisteredDevice } from '../devices/trusted-device.ts'
import type { UserOperations } from '../devices/user-data.ts'
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
   * uid of the device whose request caused the event; null if the application or the passing of
   * time did.
   */
  readonly actor: string | null
}

/** A login registered a new device. */
export interface DeviceCreated
  extends EventPayload,
    Pick<CreatedEvent, 'device' | 'returning' | 'isFirst' | 'suspicious' | 'reason'> {
  readonly user: User
}

/** A device was deleted. */
export interface DeviceRevoked
  extends EventPayload,
    Pick<RevokedEvent, 'device' | 'reason' | 'sessionId'> {
  /** The owner; only `{ id }` if `users.findById` no longer knows them. */
  readonly user: User | DeletedUser
  readonly deviceUid: string
}

/** A new device signed in from a country that is not among those of the user's existing devices. */
export interface SuspiciousLogin extends EventPayload, Pick<SuspiciousEvent, 'device' | 'reason'> {
  readonly user: User
  /**
   * Countries of the devices that existed when the user signed in, including those that this login
   * revoked.
   */
  readonly previousCountries: Set<string>
}

/**
 * Another party seems to have the secrets of a device. After a reused refresh token it is already
 * revoked.
 */
export interface DeviceCompromised
  extends EventPayload,
    Pick<CompromisedEvent, 'device' | 'reason'> {
  readonly user: User | DeletedUser
  readonly deviceUid: string
}

/**
 * A login was refused although its password was right, because the user has `maxDevices` devices
 * already.
 */
export interface LoginRefused extends EventPayload, Pick<RefusedEvent, 'reason'> {
  readonly user: User
  readonly device: UnregisteredDevice
}
