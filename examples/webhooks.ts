// Sends each revocation of a device to a webhook.

import { deviceRevoked } from '@quillgate/trusted-devices/signals'
import { Webhook } from 'standardwebhooks'

const url = process.env['WEBHOOK_URL'] ?? 'https://audit.example.com/hook'
const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '')

deviceRevoked.connect(async ({ eventId, user, deviceUid, reason }) => {
  const now = new Date()
  const body = JSON.stringify({
    type: 'device_revoked',
    data: { user_id: user.id, device_uid: deviceUid, reason },
  })
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign(eventId, now, body),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  })
  if (!response.ok) throw new Error(`The webhook answered ${response.status}.`)
})
