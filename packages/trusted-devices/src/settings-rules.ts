import { parseRate } from '@quillgate/server/http'

/** What a setting may be. */
export interface Rule<Value> {
  readonly initial: Value
  /** What is right, for the error message. */
  readonly expected: string
  /** Checks the type too: settings may come from a file. */
  readonly accepts: (value: unknown) => boolean
}

/** In seconds. */
export const DAY: number = 86_400
/** In seconds. Longer ones are mistakes, and leave what a Date can hold. */
export const CENTURY: number = 36_525 * DAY
/** In seconds: a longer timer of Node.js fires at once. */
export const LONGEST_TIMER = 2_147_483

/** Whether this is a time of 0 to `most` seconds. */
export const isSeconds = (value: unknown, most: number = CENTURY): boolean =>
  typeof value === 'number' && value >= 0 && value <= most
/** Whether this is a whole number, `least` or more. */
export const isWholeFrom = (least: number, value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least

/** A time, 0 or more. */
export const seconds = (initial: number, most: number = CENTURY): Rule<number> => ({
  initial,
  expected: `must be a number of seconds from 0 to ${most}`,
  accepts: (value) => isSeconds(value, most),
})

/** A time in whole seconds, 1 or more. */
export const wholeSeconds = (initial: number): Rule<number> => ({
  initial,
  expected: `must be a whole number of seconds from 1 to ${CENTURY}`,
  accepts: (value) => isWholeFrom(1, value) && isSeconds(value),
})

/** A time above 0, or null. */
export const secondsOrNull = (initial: number | null): Rule<number | null> => ({
  initial,
  expected: `must be a number of seconds above 0, at most ${CENTURY}, or null`,
  accepts: (value) => value === null || (isSeconds(value) && Number(value) > 0),
})

/** A time, 0 or more, or null. */
export const ageOrNull = (initial: number | null): Rule<number | null> => ({
  initial,
  expected: `must be a number of seconds from 0 to ${CENTURY}, or null`,
  accepts: (value) => value === null || isSeconds(value),
})

/** True or false. */
export const flag = (initial: boolean): Rule<boolean> => ({
  initial,
  expected: 'must be true or false',
  accepts: (value) => typeof value === 'boolean',
})

/** A rate such as `5/minute`, or null. */
export const rate = (initial: string): Rule<string | null> => ({
  initial,
  expected: 'must be a rate such as "5/minute", or null for no limit',
  accepts: isRate,
})

/** One of some words; the first one is the default. */
export const oneOf = <const Value extends string>(
  initial: Value,
  ...others: Value[]
): Rule<Value> => ({
  initial,
  expected: `must be one of: ${[initial, ...others].join(', ')}`,
  accepts: (value) => [initial, ...others].some((known) => known === value),
})

function isRate(value: unknown): boolean {
  if (value !== null && typeof value !== 'string') return false
  try {
    parseRate(value)
    return true
  } catch {
    return false
  }
}
