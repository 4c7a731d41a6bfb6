// Connects the receivers that write the security log. `ready()` imports this module once.
import type { TrustedDevice } from '@quillgate/trusted-devices'
import {
  deviceCompromised,
  deviceCreated,
  deviceRevoked,
  suspiciousLogin,
} from '@quillgate/trusted-devices/signals'
import { database } from './foundation.ts'
import { recordEvent } from './security-log.ts'

const LOG = { id: 'security-log' }

interface DeviceEvent {
  readonly user: { readonly id: string | number }
  readonly device: TrustedDevice
  readonly eventId: string
  readonly at: Date
  readonly reason: string
}

const log = (
  signal: string,
  { user, device, eventId, at, reason }: DeviceEvent,
  places: { country?: string | null; previousCountries?: ReadonlySet<string> } = {},
): Promise<void> =>
  recordEvent(database, {
    event_id: eventId,
    user_id: String(user.id),
    signal_name: signal,
    at: at.getTime(),
    device_uid: device.uid,
    device_name: device.name,
    country: places.country ?? null,
    previous_countries: places.previousCountries
      ? JSON.stringify([...places.previousCountries].sort())
      : null,
    reason,
  })

const withCountry = ({ device: { country } }: DeviceEvent) => ({ country })

deviceCreated.connect((event) => log('device_created', event, withCountry(event)), LOG)
deviceCompromised.connect((event) => log('device_compromised', event, withCountry(event)), LOG)
suspiciousLogin.connect((event) => {
  const { previousCountries } = event
  return log('suspicious_login', event, { ...withCountry(event), previousCountries })
}, LOG)
// Logs no country, because a revocation has nothing to do with the country of the device.
deviceRevoked.connect((event) => log('device_revoked', event), LOG)
