import { UsageError } from '@quillgate/server/cli'
import type { DeviceConditions } from '../devices/revocation/filter.ts'
import type { OptionName, Values } from './options.ts'

/** The options that say which devices are meant. */
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

/** Reads the filter options. @returns null without any @throws UsageError for a wrong time */
export function readFilter(values: Values): DeviceConditions | null {
  const { user, country, browser, os, address } = values
  const filter = {
    ...(user === undefined ? {} : { userId: user }),
    ...(country === undefined ? {} : { country: country === 'unknown' ? null : country }),
    ...(browser === undefined ? {} : { browser }),
    ...(os === undefined ? {} : { os }),
    ...(address === undefined ? {} : { address }),
    ...readTime('createdBefore', 'created-before', values),
    ...readTime('createdAfter', 'created-after', values),
    ...readTime('seenBefore', 'seen-before', values),
    ...readTime('seenAfter', 'seen-after', values),
  }
  return Object.keys(filter).length === 0 ? null : filter
}

const TIME = /^\d{4}-\d{2}-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

type TimeOption = Extract<OptionName, `${string}-before` | `${string}-after`>

function readTime<Name extends keyof DeviceConditions>(
  name: Name,
  option: TimeOption,
  values: Values,
): { readonly [Key in Name]?: Date } {
  const text = values[option]
  if (text === undefined) return {}
  const [, day] = TIME.exec(text) ?? []
  const time = new Date(text)
  // JavaScript takes the 30th of February for the 2nd of March.
  const isDay =
    day !== undefined &&
    !Number.isNaN(new Date(text.slice(0, 10)).getTime()) &&
    dayOf(text) === Number(day)
  if (!isDay || Number.isNaN(time.getTime())) {
    throw new UsageError(
      `--${option} must be a day such as 2026-01-31 (UTC) or a time such as 2026-01-31T12:00Z.`,
    )
  }
  return { [name]: time } as { readonly [Key in Name]?: Date }
}

function dayOf(text: string): number {
  return new Date(text.slice(0, 10)).getUTCDate()
}
