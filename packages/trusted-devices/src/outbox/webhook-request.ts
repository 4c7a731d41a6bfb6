import { createHmac } from 'node:crypto'
import type { DeviceEvent } from '../devices/device-event.ts'

/** `type` of a webhook's body. */
const TYPES: Readonly<Record<DeviceEvent['kind'], string>> = {
  created: 'device.created',
  revoked: 'device.revoked',
  suspicious: 'login.suspicious',
  compromised: 'device.compromised',
  refused: 'login.refused',
}

/**
 * Writes the body of an event: the same text at each attempt. @param describe its device, as it is on
 * the wire
 */
export function webhookBody(event: DeviceEvent, describe: (event: DeviceEvent) => object): string {
  const { eventId, at, userId, actor, reason, device } = event
  return JSON.stringify({
    type: TYPES[event.kind],
    timestamp: at.toISOString(),
    data: {
      event_id: eventId,
      user_id: userId,
      device_uid: event.kind === 'refused' ? null : device.uid,
      reason,
      actor,
      ...(event.kind === 'created'
        ? { returning: event.returning, suspicious: event.suspicious }
        : {}),
      ...(event.kind === 'suspicious' ? { previous_countries: [...event.previousCountries] } : {}),
      device: describe(event),
    },
  })
}

/**
 * The headers of the Standard Webhooks specification, version 1 (standardwebhooks.com): the
 * signature is HMAC-SHA-256 of `id.timestamp.body`, once per key.
 *
 * @param at the moment of the attempt, in milliseconds since the epoch
 */
export function webhookHeaders(
  eventId: string,
  at: number,
  body: string,
  keys: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = keys.map((key) => {
    const signature = createHmac('sha256', key)
      .update(`${eventId}.${timestamp}.${body}`)
      .digest('base64')
    return `v1,${signature}`
  })
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
