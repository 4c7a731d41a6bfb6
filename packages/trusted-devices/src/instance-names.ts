import type { GateParts } from '@quillgate/server'
import { type Check, checks } from '@quillgate/server/core'
import type { RateLimiter } from '@quillgate/server/http'

/** Everything that two instances on one host, or in one database, would share without a name. */
export interface InstanceNames {
  /** The start of every table name, for example `quillgate_` or `quillgate_staff_`. */
  readonly tablePrefix: string
  /** The plain name of the session cookie. */
  readonly sessionCookie: string
  /** The plain name of the cookie with device credentials. */
  readonly deviceCookie: string
  /** The audience of access tokens. */
  readonly audience: string
  /** Derives the keys for one use. Instances with different names have unrelated keys. */
  keys(label: string): [Buffer, ...Buffer[]]
  /** Returns a limiter whose keys carry the name, so that instances may share the store. */
  limited(limiter: RateLimiter): RateLimiter
}

/** Accepts the name of an instance. */
export const instanceName: Check<string> = checks.matching(
  /^[a-z](?:[a-z0-9-]{0,14}[a-z0-9])?$/,
  'must be 1 to 16 lower case letters, digits or "-", such as "staff"; it begins with a letter and does not end with "-"',
)

/** Derives all names from the options. */
export function instanceNames(
  name: string | undefined,
  { prefix, keys }: Pick<GateParts, 'keys' | 'prefix'>,
): InstanceNames {
  const cookie = name === undefined ? 'quillgate' : `quillgate_${name}`
  const audience = 'quillgate:trusted-devices'
  const cookies = { sessionCookie: `${cookie}_session`, deviceCookie: `${cookie}_device` }
  if (name === undefined)
    return { tablePrefix: prefix, ...cookies, audience, keys, limited: (limiter) => limiter }
  return {
    // A hyphen cannot be in a table name. Names have no underscore, so two names never give the
    // same table.
    tablePrefix: `${prefix}${name.replaceAll('-', '_')}_`,
    ...cookies,
    audience: `${audience}:${name}`,
    keys: (label) => keys(`${name}:${label}`),
    limited: (limiter) => withPrefix(limiter, `${name}:`),
  }
}

function withPrefix(limiter: RateLimiter, prefix: string): RateLimiter {
  return {
    consume: (key, rate) => limiter.consume(prefix + key, rate),
    forgive: (key, rate) => limiter.forgive(prefix + key, rate),
  }
}
