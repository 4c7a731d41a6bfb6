import type { Settings } from '../settings.ts'

const REQUEST_TIME = 30_000 // Milliseconds. Clients and proxies do not wait longer for a response.
// The maximum of {@link TokenState.late}. If a client loses a third of all responses for several
// minutes, it exceeds this number in about one of several hundred thousand cases.
const LATE_LIMIT = 16

// Times are milliseconds since the epoch. Durations are milliseconds.

/** The position of a token: the session generation, and the counter in it. */
export interface TokenPosition {
  readonly generation: number
  readonly counter: number
}

/**
 * The state of the rotating token of one device. Contains the position of the newest token, and the
 * times of its issue and first use. Session cookies and refresh tokens are rotating tokens. A login
 * starts a new session generation, which makes earlier tokens invalid. Each rotation increments the
 * counter.
 */
export interface TokenState extends TokenPosition {
  readonly issuedAt: number
  /**
   * The time when the client first used the newest token. Null before the first use. The first
   * token of a generation counts as used.
   */
  readonly confirmedAt: number | null
  /**
   * The number of late positions minus the number of on-time positions since the login, at least 0.
   * A position is late if the previous token was used long after the newest token was issued. A
   * lost response can make a position late. If two parties use tokens of one generation, every
   * position is late. A negative value means that the current position is late. Its absolute value
   * is then the number.
   */
  readonly late: number
}

/** The limits that {@link examineToken} applies. */
export interface TokenPolicy {
  readonly lifetime: number
  /** The time for which the previous token is accepted after the first use of the newest token. */
  readonly grace: number
  /**
   * A use of the previous token is late if the newest token was issued longer ago than this time.
   * No request takes this long.
   */
  readonly lateAfter: number
  /** The maximum of `late`. A higher value means that two parties have tokens of the generation. */
  readonly lateLimit: number
}

/**
 * The status of a presented token.
 *
 * - `current`: the newest token.
 * - `answer_lost`: the previous token, before the first use of the newest token. The response with
 *   the newest token may have been lost, so the client gets the newest token again.
 * - `within_grace`: the previous token, shortly after the first use of the newest token. The client
 *   may have sent several requests at the same time.
 * - `reused`: an older token, or the previous token after the grace period or after too many late
 *   positions. Two parties have tokens of one generation.
 * - `expired`: the generation was not used for longer than the lifetime.
 * - `unknown`: a token of another generation, or a token that is newer than a database that was
 *   restored from a backup.
 */
export type TokenStatus =
  | 'current'
  | 'answer_lost'
  | 'within_grace'
  | 'reused'
  | 'expired'
  | 'unknown'

/** Returns the state right after a login. */
export function beginGeneration(generation: number, now: number): TokenState {
  return { generation, counter: 0, issuedAt: now, confirmedAt: now, late: 0 }
}

/** Returns whether a token with this position was issued in the current generation. */
export function isIssued({ generation, counter }: TokenState, presented: TokenPosition): boolean {
  return presented.generation === generation && presented.counter <= counter
}

/** Returns the status of a presented token. Its lifetime starts at `usedAt`. */
export function examineToken(
  state: TokenState,
  presented: TokenPosition,
  now: number,
  policy: TokenPolicy,
  usedAt: number = state.issuedAt,
): TokenStatus {
  const { lifetime, grace, lateLimit } = policy
  if (!isIssued(state, presented)) return 'unknown'
  if (now >= usedAt + lifetime) return 'expired'
  if (presented.counter === state.counter) return 'current'
  if (presented.counter < state.counter - 1) return 'reused'
  if (state.confirmedAt !== null && now > state.confirmedAt + grace) return 'reused'
  if (-noteLate(state, now, policy).late > lateLimit) return 'reused'
  return state.confirmedAt === null ? 'answer_lost' : 'within_grace'
}

/**
 * Returns the state after a use of the previous token. Only the first late use at a position
 * changes the state.
 */
export function noteLate(state: TokenState, now: number, { lateAfter }: TokenPolicy): TokenState {
  const isCounted = now <= state.issuedAt + lateAfter || state.late < 0
  return isCounted ? state : { ...state, late: -state.late - 1 }
}

/** Returns the state after the newest token was exchanged for the next one. */
export function rotateToken(state: TokenState, now: number): TokenState {
  const late = state.late < 0 ? -state.late : Math.max(0, state.late - 1)
  return { ...state, counter: state.counter + 1, issuedAt: now, confirmedAt: null, late }
}

/** Returns the state after the client used the newest token, or its access token. */
export function confirmToken(state: TokenState, now: number): TokenState {
  return state.confirmedAt === null ? { ...state, confirmedAt: now } : state
}

/** Creates the token policy from the settings. */
export function tokenPolicy({
  refreshTokenLifetime,
  refreshGrace,
}: Pick<Settings, 'refreshTokenLifetime' | 'refreshGrace'>): TokenPolicy {
  const grace = refreshGrace * 1000
  return {
    lifetime: refreshTokenLifetime * 1000,
    grace,
    lateAfter: Math.max(grace, REQUEST_TIME),
    lateLimit: LATE_LIMIT,
  }
}

/** Returns whether a client may continue with its token. */
export function isAccepted(status: TokenStatus): boolean {
  return status === 'current' || status === 'answer_lost' || status === 'within_grace'
}
