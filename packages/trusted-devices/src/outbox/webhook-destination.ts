import type { Outcome } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { Destination } from './destination.ts'
import type { Webhook } from './webhook-options.ts'
import { webhookBody, webhookHeaders } from './webhook-request.ts'

/** The options of {@link createWebhookDestination}. */
export interface WebhookDestinationOptions {
  readonly webhook: Webhook
  /** Seconds that one attempt may take, the answer included. */
  readonly timeout: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly fetch: typeof globalThis.fetch
  /** The device of an event as it is on the wire. */
  readonly describe: (event: DeviceEvent) => object
}

const LONGEST_ANSWER = 16_384 // Bytes that are read, so that the connection can be used again.

/**
 * Creates the destination of a webhook. Only 2xx is success. Redirects are not followed. After 410
 * it is not retried.
 */
export function createWebhookDestination(options: WebhookDestinationOptions): Destination {
  const { webhook, timeout, clock, fetch, describe } = options
  return {
    name: `webhook:${webhook.name}`,
    isAwaited: false,
    wants: (signal) => [...webhook.events].some((event) => event === signal),
    isOpen: () => true,
    async attempt(event): Promise<Outcome> {
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
        await drain(response)
        return judge(response, clock())
      } catch (error) {
        return { kind: 'retry', error: describeError(error) }
      }
    },
  }
}

function judge({ status, ok, headers }: Response, now: number): Outcome {
  if (ok) return { kind: 'done' }
  if (status === 410)
    return { kind: 'dead', error: 'The webhook answered 410: it wants no more events.' }
  const after =
    status === 429 || status === 503 ? parseRetryAfter(headers.get('retry-after'), now) : 0
  const redirect = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return { kind: 'retry', error: `The webhook answered ${status}${redirect}.`, after }
}

/** Parses seconds or a date (RFC 9110, 10.2.3). @returns milliseconds */
function parseRetryAfter(value: string | null, now: number): number {
  if (value === null) return 0
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0
}

/** Reads and ignores the body. */
async function drain({ body }: Response): Promise<void> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (let read = 0; read <= LONGEST_ANSWER; ) {
      const { done, value } = await reader.read()
      if (done) return
      read += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The status is enough.
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.name}: ${error.message}${cause}`
}
