import type { GateParts } from '@quillgate/server'
import { type Check, checks } from '@quillgate/server/core'
import type { RateLimiter } from '@quillgate/server/http'

/** Checks the option `name`. */
export const instanceName: Check<string> = checks.matching(
  /^[a-z](?:[a-z0-9-]{0,14}[a-z0-9])?$/,
  'must be 1 to 16 lower case letters, digits or "-", such as "staff". It must begin with a letter and must not end with "-"',
)

const AUDIENCE = 'quillgate:trusted-devices'

/**
 * The names of an instance. They must differ from those of other instances on the same host or in
 * the same database.
 */
export type InstanceNames = ReturnType<typeof instanceNames>

/**
 * Derives all names from the option `name` and from the prefix and keys of the application object.
 */
export function instanceNames(
  name: string | undefined,
  { prefix, keys }: Pick<GateParts, 'keys' | 'prefix'>,
) {
  const cookie = name === undefined ? 'quillgate' : `quillgate_${name}`
  const label = name === undefined ? '' : `${name}:`
  return {
    // Table names cannot contain a hyphen, so an underscore replaces it. Instance names cannot
    // contain an underscore, so two instances never have the same table name.
    tablePrefix: name === undefined ? prefix : `${prefix}${name.replaceAll('-', '_')}_`,
    // Over https, the names of cookies begin with `__Host-`.
    sessionCookie: `${cookie}_session`,
    deviceCookie: `${cookie}_device`,
    /** The `aud` claim of access tokens. */
    audience: name === undefined ? AUDIENCE : `${AUDIENCE}:${name}`,
    keys: (purpose: string) => keys(label + purpose),
    /** Returns a limiter with its own keys, because several instances can share one store. */
    limited: (limiter: RateLimiter): RateLimiter => ({
      consume: (key, rate) => limiter.consume(label + key, rate),
      forgive: (key, rate) => limiter.forgive(label + key, rate),
    }),
  }
}
