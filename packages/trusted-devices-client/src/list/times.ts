const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/**
 * Formats a past time relative to now, for example `3 hours ago`.
 *
 * @param justNow the text for less than a minute
 */
export function relativeTime(time: Date, now: Date, locale: string, justNow: string): string {
  const seconds = Math.min((time.getTime() - now.getTime()) / 1000, 0)
  const step = STEPS.find(([, size]) => -seconds >= size)
  if (!step) return justNow
  const [unit, length] = step
  const count = Math.trunc(seconds / length)
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(count, unit)
}

/**
 * Formats a date and time with the time zone.
 *
 * @param timeZone an IANA name. The default is the time zone of the computer.
 */
export function exactTime(time: Date, locale: string, timeZone?: string): string {
  const parts = {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  } as const
  return new Intl.DateTimeFormat(locale, parts).format(time)
}

/** Formats a city and its country. */
export function placeName(city: string | null, country: string | null, locale: string): string {
  return [city, country && countryName(country, locale)].filter(Boolean).join(', ')
}

/** Returns the name of a country. Text that is not an ISO code is returned unchanged. */
function countryName(country: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country
}
