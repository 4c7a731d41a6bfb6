/**
 * How far the rotating token of one device has come. Session cookies and refresh tokens are both
 * such tokens: a login begins a family, each rotation counts one further, and everything a token
 * says is this position, signed.
 */
export interface TokenState {
  /** Counts the logins of the device. Tokens of an earlier login are over. */
  readonly family: number
  /** Position of the newest token of the family. */
  readonly counter: number
  /** When the newest token was made, in milliseconds since the epoch. */
  readonly issuedAt: number
  /**
   * When the client first used the newest token, in milliseconds since the epoch. Null before that.
   * The first token of a family has no previous one, so it counts as confirmed.
   */
  readonly confirmedAt: number | null
  /**
   * Counts the positions at which the token before the newest one was used late. A position without
   * a late use takes one away. Negative while the present position is already counted.
   *
   * A token one step behind usually comes soon after its successor was made: from requests under
   * way and other tabs. It comes late if the answer was lost, or if two parties use one family.
   * Then it is late at each position, whichever of them is first.
   */
  readonly late: number
}

/** The position that a token claims. */
export interface TokenPosition {
  readonly family: number
  readonly counter: number
}

/** Durations that the decision depends on, in milliseconds. */
export interface TokenPolicy {
  /** Life of the newest token, from when it was made; of a cookie, from the device's last use. */
  readonly lifetime: number
  /**
   * How long the token before the newest one is still taken after the newest one was first used.
   */
  readonly grace: number
  /**
   * A token one step behind is late so long after its successor was made: longer than any request
   * is under way.
   */
  readonly lateAfter: number
  /** The most late positions. One more means that two parties hold tokens of the family. */
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
 *   tokens of one family.
 * - `expired`: the family was not used for too long.
 * - `foreign`: of another login, or issued after the backup that the database was restored from.
 */
export type TokenStanding =
  | 'current'
  | 'answer_lost'
  | 'within_grace'
  | 'reused'
  | 'expired'
  | 'foreign'

/** The state right after a login. */
export function beginFamily(family: number, now: number): TokenState {
  return { family, counter: 0, issuedAt: now, confirmedAt: now, late: 0 }
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
): TokenStanding {
  const { lifetime, grace, lateLimit } = policy
  if (presented.family !== state.family || presented.counter > state.counter) return 'foreign'
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
export function tokenPolicy({ refreshTokenLifetime, refreshGrace }: TokenSettings): TokenPolicy {
  const grace = refreshGrace * 1000
  return {
    lifetime: refreshTokenLifetime * 1000,
    grace,
    lateAfter: Math.max(grace, REQUEST_TIME),
    lateLimit: LATE_LIMIT,
  }
}

interface TokenSettings {
  readonly refreshTokenLifetime: number
  readonly refreshGrace: number
}

const REQUEST_TIME = 30_000 // Milliseconds: clients and proxies give up before.
/**
 * A client that loses a third of all answers for minutes reaches it in one of some hundred thousand
 * cases.
 */
const LATE_LIMIT = 16

/** True when a client may go on with its token. */
export function isAccepted(standing: TokenStanding): boolean {
  return standing === 'current' || standing === 'answer_lost' || standing === 'within_grace'
}
