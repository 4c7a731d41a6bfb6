import type { Signal } from './signal.ts'
import type { DeviceCompromised, DeviceCreated, DeviceRevoked, SuspiciousLogin } from './signals.ts'
import { signalBus } from './signals.ts'

const bus = signalBus()

/** Sent when a login or `adopt` registered a new device. */
export const deviceCreated: Signal<DeviceCreated> = bus.deviceCreated
/** Sent when a device was revoked for any reason. */
export const deviceRevoked: Signal<DeviceRevoked> = bus.deviceRevoked
/**
 * Sent when a new device signed in from a country from which no other device of the user has signed
 * in.
 */
export const suspiciousLogin: Signal<SuspiciousLogin> = bus.suspiciousLogin
/** Sent when another party seems to have a token or credential of a device. */
export const deviceCompromised: Signal<DeviceCompromised> = bus.deviceCompromised

export type { Signal } from './signal.ts'
export type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  DeviceSignals,
  SuspiciousLogin,
} from './signals.ts'
