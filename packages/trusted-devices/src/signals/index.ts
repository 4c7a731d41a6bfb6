import type { Signal } from './signal.ts'
import type { DeviceCompromised, DeviceCreated, DeviceRevoked, SuspiciousLogin } from './signals.ts'
import { signalBus } from './signals.ts'

const bus = signalBus()

/** Sent when a login registered a new device. */
export const deviceCreated: Signal<DeviceCreated> = bus.deviceCreated
/** Sent when a device was deleted, whether by API, cleanup, eviction or logout. */
export const deviceRevoked: Signal<DeviceRevoked> = bus.deviceRevoked
/** Sent when a new device logged in from a country not seen among the user's existing devices. */
export const suspiciousLogin: Signal<SuspiciousLogin> = bus.suspiciousLogin
/** Sent when another party seems to have the secrets of a device. */
export const deviceCompromised: Signal<DeviceCompromised> = bus.deviceCompromised

export type { Signal } from './signal.ts'
export type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  DeviceSignals,
  SuspiciousLogin,
} from './signals.ts'
