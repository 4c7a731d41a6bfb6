import type { DeviceEvent } from '../devices/device-event.ts'

/** The names of the signals. */
export type SignalName =
  | 'device_created'
  | 'device_revoked'
  | 'suspicious_login'
  | 'device_compromised'
  | 'login_refused'

/** Which signal tells which event. */
export const SIGNAL_OF: Readonly<Record<DeviceEvent['kind'], SignalName>> = {
  created: 'device_created',
  revoked: 'device_revoked',
  suspicious: 'suspicious_login',
  compromised: 'device_compromised',
  refused: 'login_refused',
}
