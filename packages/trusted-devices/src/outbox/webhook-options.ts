import { createHash } from 'node:crypto'
import {
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  Problem,
  parse,
  required,
} from '@quillgate/server/core'
import { SIGNAL_OF, type SignalName } from '../signals/signals.ts'

const NAMES: readonly SignalName[] = Object.values(SIGNAL_OF)

/** The options of one webhook. */
const WEBHOOK_OPTIONS = {
  /** https; http on this machine only. */
  url: required(url),
  /**
   * `whsec_` and 24 to 64 random bytes in base64. Several while one replaces another: each request
   * is signed with all of them.
   */
  secret: required(checks.anything<string | readonly string[]>()),
  /** Signals to send; by default all. */
  events: field(events, NAMES),
  /**
   * Names the webhook in the outbox: what waits for it is sent to whatever URL has this name. Lower
   * case letters, digits, `-`, at most 40; by default made from the URL.
   */
  name: optional(
    checks.matching(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 lower case letters, digits or "-"'),
  ),
}

/** Where signed events are sent to, by the Standard Webhooks specification. */
export type WebhookOptions = Input<typeof WEBHOOK_OPTIONS>

/** A webhook after its options were checked. */
export interface Webhook {
  readonly name: string
  readonly url: string
  readonly keys: readonly Buffer[]
  readonly events: ReadonlySet<SignalName>
}

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

function parseWebhook(value: unknown, path: string): Webhook {
  const { url, secret, events, name } = parse(WEBHOOK_OPTIONS, value, path)
  return {
    name: name ?? createHash('sha256').update(url).digest('hex').slice(0, 16),
    url,
    keys: parseSecrets(secret, `${path}.secret`),
    events: new Set<SignalName>(events),
  }
}

function events(value: unknown): readonly SignalName[] | Problem {
  if (!Array.isArray(value) || value.length === 0)
    return new Problem(`must be a list of some of: ${NAMES.join(', ')}`, value)
  const wrong: unknown = value.find((event) => !NAMES.includes(event))
  const hint = 'names of signals, not the types that payloads have'
  return wrong === undefined
    ? value
    : new Problem(`must be some of: ${NAMES.join(', ')} (${hint})`, wrong)
}

function url(value: unknown): string | Problem {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !isSecure || url.username !== '' || url.password !== '') {
    // Not quoted: paths and queries of webhooks are often secrets.
    return new Problem(
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
