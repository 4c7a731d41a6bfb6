import { createHmac } from 'node:crypto'
import type { Outcome } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import { SIGNAL_OF } from '../signals/signals.ts'
import type { Destination } from './outbox.ts'
import type { Webhook } from './webhook-options.ts'

/** The options of {@link createWebhookDestination}. */
export interface WebhookDestinationOptions {
  readonly webhook: Webhook
  /** Seconds that one attempt may take. */
  readonly timeout: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Returns the device of an event as it is on the wire. */
  readonly describe: (event: DeviceEvent) => object
}

/**
 * Creates the destination of a webhook. Only 2xx is success. Redirects are not followed. After 410
 * it is not retried.
 */
export function createWebhookDestination(options: WebhookDestinationOptions): Destination {
  const { webhook, timeout, clock, describe } = options
  async function attempt(event: DeviceEvent): Promise<Outcome> {
    const body = webhookBody(event, describe)
    try {
      const response = await fetch(webhook.url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'quillgate-webhooks/1',
          ...webhookHeaders(event.eventId, clock(), body, webhook.keys),
        },
        body,
        signal: AbortSignal.timeout(Math.ceil(timeout * 1000)),
      })
      await response.body?.cancel() // The status is enough.
      return judge(response, clock())
    } catch (error) {
      return { kind: 'retry', error: describeError(error) }
    }
  }
  return {
    name: `webhook:${webhook.name}`,
    wants: (signal) => webhook.events.includes(signal),
    isOpen: () => true,
    handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
  }
}

/** Writes the body of an event: the same text at each attempt. */
function webhookBody(event: DeviceEvent, describe: WebhookDestinationOptions['describe']): string {
  const { eventId, at, userId, actor, reason, device } = event
  return JSON.stringify({
    type: SIGNAL_OF[event.kind],
    timestamp: at.toISOString(),
    data: {
      event_id: eventId,
      user_id: userId,
      device_uid: device.uid,
      reason,
      actor,
      ...(event.kind === 'created'
        ? { returning: event.returning, suspicious: event.suspicious }
        : {}),
      ...(event.kind === 'suspicious' ? { previous_countries: event.previousCountries } : {}),
      device: describe(event),
    },
  })
}

/**
 * Signs a body by the Standard Webhooks specification, version 1 (standardwebhooks.com): HMAC-SHA-256
 * of `id.timestamp.body`, once per key.
 *
 * @param at the time of the attempt, in milliseconds since the epoch
 */
function webhookHeaders(
  eventId: string,
  at: number,
  body: string,
  keys: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = keys.map((key) => {
    const signed = `${eventId}.${timestamp}.${body}`
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function judge({ status, ok, headers }: Response, now: number): Outcome {
  if (ok) return { kind: 'done' }
  if (status === 410)
    return { kind: 'dead', error: 'The webhook answered 410: it wants no more events.' }
  const isBusy = status === 429 || status === 503
  const after = isBusy ? parseRetryAfter(headers.get('retry-after') ?? '', now) : 0
  const redirect = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return { kind: 'retry', error: `The webhook answered ${status}${redirect}.`, after }
}

/** Parses seconds or a date (RFC 9110, 10.2.3). @returns milliseconds; 0 for any other text */
function parseRetryAfter(value: string, now: number): number {
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Math.max(0, milliseconds || 0)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.name}: ${error.message}${cause}`
}
