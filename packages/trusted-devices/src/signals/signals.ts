import type {
  CompromisedEvent,
  CreatedEvent,
  DeviceEvent,
  EventBase,
  RevokedEvent,
  SuspiciousEvent,
} from '../devices/device-event.ts'
import type { DeviceRegistry } from '../devices/registry.ts'
import type { TrustedDevice } from '../devices/tables/trusted-device.ts'
import type { UserOperations } from '../devices/user-operations.ts'
import type { DeletedUser, User } from '../devices/users.ts'
import { Signal } from './signal.ts'

/** The part of an instance that receivers may use. */
export interface EventSender {
  readonly registry: DeviceRegistry
  readonly users: UserOperations
}

/** The properties of every event. */
export interface EventPayload extends Omit<EventBase, 'userId'> {
  /** The class {@link TrustedDevice}. */
  readonly sender: typeof TrustedDevice
  /** The instance that sent the event. */
  readonly instance: EventSender
}

/** A login or `adopt` registered a new device. */
export interface DeviceCreated
  extends EventPayload,
    Pick<CreatedEvent, 'returning' | 'isFirst' | 'suspicious' | 'reason'> {
  readonly user: User
}

/** A device was revoked. */
export interface DeviceRevoked extends EventPayload, Pick<RevokedEvent, 'reason' | 'sessionId'> {
  /** The owner. Only `{ id }` if the reason is `user_deleted` or `users.findById` finds no user. */
  readonly user: User | DeletedUser
  readonly deviceUid: string
}

/**
 * A new device signed in from a new country. No other device of the user has signed in from there.
 */
export interface SuspiciousLogin extends EventPayload, Pick<SuspiciousEvent, 'reason'> {
  readonly user: User
  /** The countries of the user's devices before this login, including devices that it revoked. */
  readonly previousCountries: Set<string>
}

/**
 * Another party seems to have a token or credential of a device. If a refresh token was reused, the
 * device has already been revoked.
 */
export interface DeviceCompromised extends EventPayload, Pick<CompromisedEvent, 'reason'> {
  readonly user: User | DeletedUser
  readonly deviceUid: string
}

/** The names of the signals. */
export type SignalName =
  | 'device_created'
  | 'device_revoked'
  | 'suspicious_login'
  | 'device_compromised'

/** The signal of each kind of event. */
export const SIGNAL_OF: Readonly<Record<DeviceEvent['kind'], SignalName>> = {
  created: 'device_created',
  revoked: 'device_revoked',
  suspicious: 'suspicious_login',
  compromised: 'device_compromised',
}

/** The signals of one instance, or of all instances. */
export interface DeviceSignals {
  readonly deviceCreated: Signal<DeviceCreated>
  readonly deviceRevoked: Signal<DeviceRevoked>
  readonly suspiciousLogin: Signal<SuspiciousLogin>
  readonly deviceCompromised: Signal<DeviceCompromised>
}

/** Creates signals without receivers. */
export function createSignals(): DeviceSignals {
  return {
    deviceCreated: new Signal(SIGNAL_OF.created),
    deviceRevoked: new Signal(SIGNAL_OF.revoked),
    suspiciousLogin: new Signal(SIGNAL_OF.suspicious),
    deviceCompromised: new Signal(SIGNAL_OF.compromised),
  }
}

const BUS = Symbol.for('quillgate.trusted-devices.signals.v1')

/**
 * Returns the signals of all instances in this process. They are stored under a registered symbol,
 * so that there is only one bus even if this package is bundled or installed twice.
 */
export function signalBus(): DeviceSignals {
  const globals = globalThis as { [BUS]?: DeviceSignals }
  globals[BUS] ??= createSignals()
  return globals[BUS]
}
