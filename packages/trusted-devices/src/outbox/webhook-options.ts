import { createHash } from 'node:crypto'
import { ConfigurationError, suggestion } from '@quillgate/server/core'
import { SIGNAL_OF, type SignalName } from '../signals/signal-names.ts'

/** Where signed events are sent to, by the Standard Webhooks specification. */
export interface WebhookOptions {
  /** https; http on this machine only. */
  readonly url: string
  /**
   * `whsec_` and 24 to 64 random bytes in base64. Several while one replaces another: each request is signed with all of
   * them.
   */
  readonly secret: string | readonly string[]
  /** Signals to send. @default all */
  readonly events?: readonly SignalName[]
  /**
   * Names the webhook in the outbox: what waits for it goes to whatever URL has this name. Lower case letters, digits,
   * `-`, at most 40. @default made from the URL
   */
  readonly name?: string
}

/** A webhook after its options were checked. */
export interface Webhook {
  readonly name: string
  readonly url: string
  readonly keys: readonly Buffer[]
  readonly events: ReadonlySet<SignalName>
}

const NAMES: readonly SignalName[] = Object.values(SIGNAL_OF)
const MEMBERS = ['url', 'secret', 'events', 'name']

/**
 * Checks the option `webhooks`.
 *
 * @throws ConfigurationError that names the member; it never quotes a secret
 */
export function parseWebhooks(value: unknown): Webhook[] {
  if (!Array.isArray(value)) throw new ConfigurationError('webhooks', 'must be a list', value)
  const webhooks = value.map((each: unknown, index) => parseWebhook(each, `webhooks[${index}]`))
  const names = webhooks.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (twice >= 0) {
    throw new ConfigurationError(
      `webhooks[${twice}].name`,
      'must differ from those of the other webhooks',
      names[twice],
    )
  }
  return webhooks
}

function parseWebhook(value: unknown, name: string): Webhook {
  if (typeof value !== 'object' || value === null)
    throw new ConfigurationError(name, 'must be an object')
  const unknown = Object.keys(value).find((member) => !MEMBERS.includes(member))
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${name}.${unknown}`,
      `is not an option. ${suggestion(unknown, MEMBERS)}`,
    )
  }
  const { url, secret, events = NAMES, name: given } = value as Partial<WebhookOptions>
  const href = parseUrl(url, `${name}.url`)
  if (!Array.isArray(events) || events.length === 0) {
    throw new ConfigurationError(
      `${name}.events`,
      `must be a list of some of: ${NAMES.join(', ')}`,
      events,
    )
  }
  const wrong: unknown = events.find((event) => !NAMES.includes(event))
  if (wrong !== undefined) {
    const hint = 'names of signals, not the types that payloads have'
    throw new ConfigurationError(
      `${name}.events`,
      `must be some of: ${NAMES.join(', ')} (${hint})`,
      wrong,
    )
  }
  if (given !== undefined && (typeof given !== 'string' || !/^[a-z0-9-]{1,40}$/.test(given))) {
    throw new ConfigurationError(
      `${name}.name`,
      'must be 1 to 40 lower case letters, digits or "-"',
      given,
    )
  }
  return {
    name: given ?? createHash('sha256').update(href).digest('hex').slice(0, 16),
    url: href,
    keys: parseSecrets(secret, `${name}.secret`),
    events: new Set<SignalName>(events),
  }
}

function parseUrl(value: unknown, name: string): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !isSecure || url.username !== '' || url.password !== '') {
    // Not quoted: paths and queries of webhooks are often secrets.
    throw new ConfigurationError(
      name,
      'must be an https URL without user and password; http is for this machine only',
    )
  }
  url.hash = ''
  return url.href
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

function parseSecrets(value: unknown, name: string): Buffer[] {
  const secrets: unknown[] = Array.isArray(value) ? value : [value]
  const keys = secrets.map((secret) => {
    const [, encoded = ''] =
      typeof secret === 'string' ? (/^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []) : []
    return Buffer.from(encoded, 'base64')
  })
  if (keys.length === 0 || keys.some(({ length }) => length < 24 || length > 64)) {
    throw new ConfigurationError(
      name,
      'must be "whsec_" and 24 to 64 bytes in base64, or a list of such',
    )
  }
  return keys
}
