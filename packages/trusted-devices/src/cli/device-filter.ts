import { UsageError } from '@quillgate/server/cli'
import type { DeviceConditions } from '../devices/revocation/filter.ts'
import { given } from './command.ts'
import type { Values } from './options.ts'

/** The options that select devices. */
export const FILTER_OPTIONS = [
  'user',
  'country',
  'browser',
  'os',
  'address',
  'created-before',
  'created-after',
  'seen-before',
  'seen-after',
] as const

/** Reads the options that select devices. @returns null without any @throws UsageError */
export function readFilter(values: Values): DeviceConditions | null {
  const { user, country, browser, os, address } = values
  const filter: DeviceConditions = given({
    userId: user,
    country: country === 'unknown' ? null : country,
    ...{ browser, os, address },
    createdBefore: readTime('created-before', values),
    createdAfter: readTime('created-after', values),
    seenBefore: readTime('seen-before', values),
    seenAfter: readTime('seen-after', values),
  })
  return Object.keys(filter).length === 0 ? null : filter
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

function readTime(
  option: Extract<keyof Values, `${string}-before` | `${string}-after`>,
  values: Values,
): Date | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  const time = TIME.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime()) || !isDay(text.slice(0, 10))) {
    throw new UsageError(
      `--${option} must be a day such as 2026-01-31 (UTC) or a time such as 2026-01-31T12:00Z.`,
    )
  }
  return time
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
