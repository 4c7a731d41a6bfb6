// The startup hook: `ready()` imports this module once, and its receivers write the security log.
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
  event: DeviceEvent,
  previousCountries?: ReadonlySet<string>,
): Promise<void> => {
  const { user, device, eventId, at, reason } = event
  const previous = previousCountries && { previousCountries: [...previousCountries].sort() }
  const { uid: deviceUid, country } = device
  return recordEvent(database, {
    signal,
    eventId,
    at,
    userId: user.id,
    deviceUid,
    country,
    reason,
    ...previous,
  })
}

deviceCreated.connect((event) => log('device_created', event), LOG)
deviceCompromised.connect((event) => log('device_compromised', event), LOG)
suspiciousLogin.connect((event) => log('suspicious_login', event, event.previousCountries), LOG)

// Where the device was is no news when it goes.
deviceRevoked.connect(
  ({ user, deviceUid, eventId, at, reason }) =>
    recordEvent(database, {
      signal: 'device_revoked',
      eventId,
      at,
      userId: user.id,
      deviceUid,
      reason,
    }),
  LOG,
)
