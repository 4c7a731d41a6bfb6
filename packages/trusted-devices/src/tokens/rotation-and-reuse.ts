import type { Settings } from '../settings.ts'

const REQUEST_TIME = 30_000 // Milliseconds: clients and proxies give up before.
/**
 * A client that loses a third of all answers for minutes reaches it in one of some hundred thousand
 * cases.
 */
const LATE_LIMIT = 16

/**
 * The position of the rotating token of one device. Session cookies and refresh tokens are both
 * such tokens: a login begins a session generation, each rotation increments the counter, and a
 * token is this position, signed.
 */
export interface TokenState {
  /** Counts the logins of the device. Tokens of an earlier login are over. */
  readonly generation: number
  /** Position of the newest token of the generation. */
  readonly counter: number
  /** When the newest token was made, in milliseconds since the epoch. */
  readonly issuedAt: number
  /**
   * When the client first used the newest token, in milliseconds since the epoch. Null before that.
   * The first token of a generation has no previous one, so it counts as confirmed.
   */
  readonly confirmedAt: number | null
  /**
   * Late positions minus on-time positions since the login, never below 0. The minus sign is only a
   * mark: the current position is counted already. At a late position, the token before the newest
   * one was used long after the newest one was made. That happens if an answer was lost. If two
   * parties use one generation, it happens at each position.
   */
  readonly late: number
}

/** The position that a token claims. */
export interface TokenPosition {
  readonly generation: number
  readonly counter: number
}

/** The limits of the decision. Durations are milliseconds. */
export interface TokenPolicy {
  /** Life of the newest token, from when it was made; of a cookie, from the device's last use. */
  readonly lifetime: number
  /**
   * How long the token before the newest one is still taken after the newest one was first used.
   */
  readonly grace: number
  /** Time after which a token one step behind is late. No request takes so long. */
  readonly lateAfter: number
  /** The most late positions. One more means that two parties have tokens of it. */
  readonly lateLimit: number
}

/**
 * The status of a presented token.
 *
 * - `current`: the newest one.
 * - `answer_lost`: one step behind, and the newest one was not used yet. Its answer may not have
 *   arrived, so the client gets it again.
 * - `within_grace`: one step behind, and the newest one was first used a moment ago. Other requests
 *   were under way.
 * - `reused`: further behind, or the grace is over, or it came late too often. Two parties have
 *   tokens of one generation.
 * - `expired`: the generation was not used for too long.
 * - `unknown`: of another login, or issued after the backup that the database was restored from.
 */
export type TokenStatus =
  | 'current'
  | 'answer_lost'
  | 'within_grace'
  | 'reused'
  | 'expired'
  | 'unknown'

/** The state right after a login. */
export function beginGeneration(generation: number, now: number): TokenState {
  return { generation, counter: 0, issuedAt: now, confirmedAt: now, late: 0 }
}

/**
 * Decides what a presented token is. Changes nothing.
 *
 * @param usedAt when the lifetime began, in milliseconds since the epoch. @default when the newest
 * token was made
 */
export function examineToken(
  state: TokenState,
  presented: TokenPosition,
  now: number,
  policy: TokenPolicy,
  usedAt: number = state.issuedAt,
): TokenStatus {
  const { lifetime, grace, lateLimit } = policy
  if (presented.generation !== state.generation || presented.counter > state.counter)
    return 'unknown'
  if (now >= usedAt + lifetime) return 'expired'
  if (presented.counter === state.counter) return 'current'
  if (presented.counter < state.counter - 1) return 'reused'
  if (state.confirmedAt !== null && now > state.confirmedAt + grace) return 'reused'
  if (-noteLate(state, now, policy).late > lateLimit) return 'reused'
  return state.confirmedAt === null ? 'answer_lost' : 'within_grace'
}

/**
 * The state after the token before the newest one was used. Changes only with the first late use of
 * a position.
 */
export function noteLate(state: TokenState, now: number, { lateAfter }: TokenPolicy): TokenState {
  const isCounted = now <= state.issuedAt + lateAfter || state.late < 0
  return isCounted ? state : { ...state, late: -state.late - 1 }
}

/** The state after the current token was exchanged for the next one. */
export function rotateToken(state: TokenState, now: number): TokenState {
  const late = state.late < 0 ? -state.late : Math.max(0, state.late - 1)
  return { ...state, counter: state.counter + 1, issuedAt: now, confirmedAt: null, late }
}

/** The state after the client used the newest token, or the access token that came with it. */
export function confirmToken(state: TokenState, now: number): TokenState {
  return state.confirmedAt === null ? { ...state, confirmedAt: now } : state
}

/** Returns the policy of the settings, which are in seconds. */
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

/** Returns true if a client may continue with its token. */
export function isAccepted(status: TokenStatus): boolean {
  return status === 'current' || status === 'answer_lost' || status === 'within_grace'
}
