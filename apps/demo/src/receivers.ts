// The startup hook: `ready()` imports this module once, and its receivers write the security log.
import { deviceCompromised, deviceCreated, deviceRevoked, suspiciousLogin } from '@quillgate/trusted-devices/signals'
import { database } from './foundation.ts'
import { recordEvent } from './security-log.ts'

deviceCreated.connect(
  ({ user, device, eventId, at, reason }) =>
    recordEvent(database, {
      signal: 'device_created',
      eventId,
      at,
      userId: user.id,
      deviceUid: device.uid,
      country: device.country,
      reason,
    }),
  { id: 'security-log' },
)

deviceRevoked.connect(
  ({ user, deviceUid, eventId, at, reason }) =>
    recordEvent(database, { signal: 'device_revoked', eventId, at, userId: user.id, deviceUid, reason }),
  { id: 'security-log' },
)

suspiciousLogin.connect(
  ({ user, device, previousCountries, eventId, at, reason }) =>
    recordEvent(database, {
      signal: 'suspicious_login',
      eventId,
      at,
      userId: user.id,
      deviceUid: device.uid,
      country: device.country,
      previousCountries: [...previousCountries].sort(),
      reason,
    }),
  { id: 'security-log' },
)

deviceCompromised.connect(
  ({ user, device, eventId, at, reason }) =>
    recordEvent(database, {
      signal: 'device_compromised',
      eventId,
      at,
      userId: user.id,
      deviceUid: device.uid,
      country: device.country,
      reason,
    }),
  { id: 'security-log' },
)
