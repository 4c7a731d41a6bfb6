/**
 * How far the rotating token of one device has come. Session cookies and refresh tokens are both such tokens: a login
 * begins a family, each rotation counts one further, and everything a token says is this position, signed.
 */
export interface TokenState {
  /** Counts the logins of the device. Tokens of an earlier login are over. */
  readonly family: number
  /** Position of the newest token of the family. */
  readonly counter: number
  /** When the newest token was made, in milliseconds since the epoch. */
  readonly issuedAt: number
  /**
   * When the client first proved that it has the newest token, in milliseconds since the epoch; null before that. The
   * first token of a family has none before it to fall back to, so it counts as confirmed from the start.
   */
  readonly confirmedAt: number | null
}

/** The position that a token claims. */
export interface TokenPosition {
  readonly family: number
  readonly counter: number
}

/** Durations that the decision depends on, in milliseconds. */
export interface TokenPolicy {
  /** Life of the newest token, from when it was made. */
  readonly lifetime: number
  /** How long the token before the newest one is still taken after the newest one was first used. */
  readonly grace: number
}

/**
 * What a presented token is:
 * - `current`: the newest one.
 * - `answer_lost`: one step behind, while nobody has used the newest one. The answer that carried it may not have
 *   arrived, so the client gets it again.
 * - `within_grace`: one step behind, and the newest one has been in use only for a moment: requests that were under way.
 * - `reused`: further behind, or the grace is over. Two parties hold tokens of one family.
 * - `expired`: the family was not used for too long.
 * - `foreign`: of another login, or of a future that a restored database does not know.
 */
export type TokenStanding = 'current' | 'answer_lost' | 'within_grace' | 'reused' | 'expired' | 'foreign'

/** The state right after a login. */
export function beginFamily(family: number, now: number): TokenState {
  return { family, counter: 0, issuedAt: now, confirmedAt: now }
}

/** Decides what a presented token is. Changes nothing. */
export function examineToken(
  state: TokenState,
  presented: TokenPosition,
  now: number,
  { lifetime, grace }: TokenPolicy,
): TokenStanding {
  if (presented.family !== state.family || presented.counter > state.counter) return 'foreign'
  if (now >= state.issuedAt + lifetime) return 'expired'
  if (presented.counter === state.counter) return 'current'
  if (presented.counter < state.counter - 1) return 'reused'
  if (state.confirmedAt === null) return 'answer_lost'
  return now <= state.confirmedAt + grace ? 'within_grace' : 'reused'
}

/** The state after the current token was exchanged for the next one. */
export function rotateToken(state: TokenState, now: number): TokenState {
  return { family: state.family, counter: state.counter + 1, issuedAt: now, confirmedAt: null }
}

/** The state after the client used the newest token, or the access token that came with it. */
export function confirmToken(state: TokenState, now: number): TokenState {
  return state.confirmedAt === null ? { ...state, confirmedAt: now } : state
}

/** True when a client may go on with its token. */
export function isAccepted(standing: TokenStanding): boolean {
  return standing === 'current' || standing === 'answer_lost' || standing === 'within_grace'
}
