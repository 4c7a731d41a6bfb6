import type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  LoginRefused,
  SuspiciousLogin,
} from './payloads.ts'
import { Signal } from './signal.ts'

/** The signals, of one instance or of all. */
export interface DeviceSignals {
  readonly deviceCreated: Signal<DeviceCreated>
  readonly deviceRevoked: Signal<DeviceRevoked>
  readonly suspiciousLogin: Signal<SuspiciousLogin>
  readonly deviceCompromised: Signal<DeviceCompromised>
  readonly loginRefused: Signal<LoginRefused>
}

/** Creates signals without receivers. */
export function createSignals(): DeviceSignals {
  return {
    deviceCreated: new Signal('device_created'),
    deviceRevoked: new Signal('device_revoked'),
    suspiciousLogin: new Signal('suspicious_login'),
    deviceCompromised: new Signal('device_compromised'),
    loginRefused: new Signal('login_refused'),
  }
}

const BUS = Symbol.for('quillgate.trusted-devices.signals.v1')

/**
 * The signals of all instances in this process. They are kept under a registered symbol, so that a
 * package that was bundled or installed twice still has one bus.
 */
export function signalBus(): DeviceSignals {
  const holder = globalThis as { [BUS]?: DeviceSignals }
  holder[BUS] ??= createSignals()
  return holder[BUS]
}
