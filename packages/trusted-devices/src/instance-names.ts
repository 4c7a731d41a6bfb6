import type { GateParts } from '@quillgate/server'
import { type Check, checks } from '@quillgate/server/core'
import type { RateLimiter } from '@quillgate/server/http'

/** The names that must differ between two instances on one host or in one database. */
export interface InstanceNames {
  /** The start of every table name, for example `quillgate_` or `quillgate_staff_`. */
  readonly tablePrefix: string
  /** The name of the session cookie, without the prefix `__Host-` that it has over https. */
  readonly sessionCookie: string
  /** The name of the cookie with device credentials, without the prefix `__Host-`. */
  readonly deviceCookie: string
  /** The `aud` claim of access tokens. */
  readonly audience: string
  /** Derives the keys for one purpose. Instances with different names have unrelated keys. */
  keys(label: string): [Buffer, ...Buffer[]]
  /**
   * Returns a limiter that prefixes its keys with the instance name, so that instances can share
   * the store.
   */
  limited(limiter: RateLimiter): RateLimiter
}

/** Checks the option `name`. */
export const instanceName: Check<string> = checks.matching(
  /^[a-z](?:[a-z0-9-]{0,14}[a-z0-9])?$/,
  'must be 1 to 16 lower case letters, digits or "-", such as "staff"; it begins with a letter and does not end with "-"',
)

/** Derives all names from the option `name` and the prefix and keys of the gate. */
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
    // Table names cannot contain a hyphen. Instance names cannot contain an underscore, so two
    // names never result in the same table name.
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
