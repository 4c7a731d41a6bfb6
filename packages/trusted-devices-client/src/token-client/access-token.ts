/** An access token as this tab knows it. */
export interface KeptAccess {
  /** The login and step that it came with. */
  readonly login: string
  readonly step: number
  readonly token: string
  /** By the clock of this computer, in milliseconds since the epoch: when it came, and when it ends. */
  readonly since: number
  readonly until: number
}

const UNKNOWN_LIFETIME = 60_000
const EARLY = 30_000

/**
 * Keeps a token that was asked for at `since`. Only its lifetime is taken from it: the clock of this computer may be
 * hours off the server's.
 */
export function keepAccess(token: string, login: string, step: number, since: number): KeptAccess {
  return { login, step, token, since, until: since + (lifetimeOf(token) ?? UNKNOWN_LIFETIME) }
}

/** Whether the server takes it at this time. A clock that was set back makes every token old. */
export function isAlive({ since, until }: KeptAccess, now: number): boolean {
  return now >= since && now < until
}

/** Whether it is time for the next one: shortly before the end. */
export function isDue({ since, until }: KeptAccess, now: number): boolean {
  return now >= until - Math.min(EARLY, (until - since) / 5)
}

/** What another tab has written, or null when it is no access token. */
export function parseAccess(value: unknown): KeptAccess | null {
  const { login, step, token, since, until } = (value ?? {}) as Record<string, unknown>
  if (typeof login !== 'string' || typeof token !== 'string' || typeof step !== 'number')
    return null
  return typeof since === 'number' && typeof until === 'number'
    ? { login, step, token, since, until }
    : null
}

/** Milliseconds between the claims `iat` and `exp` of a JWT, or null. */
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
