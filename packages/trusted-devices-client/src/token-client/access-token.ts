/** An access token that this tab has. */
export interface KeptAccess {
  /** The login and the step of the refresh token. See `StoredTokens`. */
  readonly login: string
  readonly step: number
  readonly token: string
  /**
   * `since` is the time of the request for the token. `until` is the time of its expiry.
   * Milliseconds since the epoch by this computer's clock.
   */
  readonly since: number
  readonly until: number
}

const UNKNOWN_LIFETIME = 60_000
const EARLY = 30_000

/**
 * Creates the record of an access token. Computes the expiry from the token's lifetime, because
 * this computer's clock can differ from the server's clock by hours.
 *
 * @param since the time of the request for the token, in milliseconds since the epoch
 */
export function keepAccess(token: string, login: string, step: number, since: number): KeptAccess {
  return { login, step, token, since, until: since + (lifetimeOf(token) ?? UNKNOWN_LIFETIME) }
}

/**
 * Returns whether the token is valid now. If the clock was set back since the request, the token
 * counts as expired.
 */
export function isAlive({ since, until }: KeptAccess, now: number): boolean {
  return now >= since && now < until
}

/** Returns whether the token should be renewed, because it expires soon or has expired. */
export function isDue({ since, until }: KeptAccess, now: number): boolean {
  return now >= until - Math.min(EARLY, (until - since) / 5)
}

/** Parses a value that another tab has sent. Returns null if it is not an access token. */
export function parseAccess(value: unknown): KeptAccess | null {
  const { login, step, token, since, until } = (value ?? {}) as Record<string, unknown>
  if (typeof login !== 'string' || typeof token !== 'string' || typeof step !== 'number')
    return null
  return typeof since === 'number' && typeof until === 'number'
    ? { login, step, token, since, until }
    : null
}

/** Returns the milliseconds between the claims `iat` and `exp` of a JWT, or null. */
function lifetimeOf(token: string): number | null {
  try {
    const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const { iat, exp } = JSON.parse(atob(payload)) as { iat?: unknown; exp?: unknown }
    return typeof iat === 'number' && typeof exp === 'number' && exp > iat
      ? (exp - iat) * 1000
      : null
  } catch {
    return null
  }
}
