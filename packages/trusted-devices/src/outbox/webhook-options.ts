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
  events: field(checks.listOf(checks.oneOf(NAMES)), NAMES),
  /**
   * Names the webhook in the outbox, by default its host. Needed for several webhooks on one host.
   * Lower case letters, digits, `-`, at most 40.
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
  readonly events: readonly SignalName[]
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
  if (twice < 0) return webhooks
  const problem = 'must differ from those of the other webhooks; by default it is the host'
  throw new ConfigurationError(`webhooks[${twice}].name`, problem, names[twice])
}

function parseWebhook(value: unknown, path: string): Webhook {
  const { url, secret, events, name } = parse(WEBHOOK_OPTIONS, value, path)
  return {
    name: name ?? new URL(url).host.slice(0, 50),
    url,
    keys: parseSecrets(secret, `${path}.secret`),
    events,
  }
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

function parseSecrets(value: string | readonly string[], name: string): Buffer[] {
  const keys = [value].flat().map((secret) => {
    const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? []
    return Buffer.from(encoded, 'base64')
  })
  if (keys.length > 0 && keys.every(({ length }) => length >= 24 && length <= 64)) return keys
  const problem = 'must be "whsec_" and 24 to 64 bytes in base64, or a list of such'
  throw new ConfigurationError(name, problem)
}
