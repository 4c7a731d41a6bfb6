import type { DeviceEvent } from '../devices/device-event.ts'
import type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  LoginRefused,
  SuspiciousLogin,
} from './payloads.ts'
import { Signal } from './signal.ts'

/** The names of the signals. */
export type SignalName =
  | 'device_created'
  | 'device_revoked'
  | 'suspicious_login'
  | 'device_compromised'
  | 'login_refused'

/** The signal of each kind of event. */
export const SIGNAL_OF: Readonly<Record<DeviceEvent['kind'], SignalName>> = {
  created: 'device_created',
  revoked: 'device_revoked',
  suspicious: 'suspicious_login',
  compromised: 'device_compromised',
  refused: 'login_refused',
}

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
    deviceCreated: new Signal(SIGNAL_OF.created),
    deviceRevoked: new Signal(SIGNAL_OF.revoked),
    suspiciousLogin: new Signal(SIGNAL_OF.suspicious),
    deviceCompromised: new Signal(SIGNAL_OF.compromised),
    loginRefused: new Signal(SIGNAL_OF.refused),
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
