const FIRST_PAUSE = 5000
const LONGEST_PAUSE = 3_600_000
const LONGEST_WISH = 86_400_000

/** The longest wait in milliseconds. A longer one was written before the clock was set back. */
export const LONGEST_WAIT: number = LONGEST_WISH + LONGEST_PAUSE

/**
 * Returns the milliseconds until the next attempt: 5 s after the first one, then twice as long each
 * time, at most an hour. A random half of it is left out, so that jobs that failed together are not
 * tried together.
 *
 * @param attempts 1 or more
 * @param random from 0 to 1
 * @param wish the shortest pause that the job asked for, in milliseconds; it is granted up to a day
 */
export function pauseAfter(attempts: number, random: number, wish = 0): number {
  const whole = Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 30), LONGEST_PAUSE)
  return Math.ceil(Math.max((whole * (1 + random)) / 2, Math.min(wish, LONGEST_WISH)))
}
