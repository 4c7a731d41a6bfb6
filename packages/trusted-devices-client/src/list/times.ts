const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** How long ago something was, in words: `3 hours ago`. @param justNow for less than a minute: "last active now" is none */
export function relativeTime(time: Date, now: Date, locale: string, justNow: string): string {
  const seconds = Math.min((time.getTime() - now.getTime()) / 1000, 0)
  const step = STEPS.find(([, size]) => -seconds >= size)
  if (!step) return justNow
  const [unit, length] = step
  const count = Math.trunc(seconds / length)
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(count, unit)
}

/** The day and minute, with the time zone. @param timeZone that of the computer when it is not given */
export function exactTime(time: Date, locale: string, timeZone?: string): string {
  const parts = {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  } as const
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Intl.DateTimeFormat(locale, { ...parts, ...zone, timeZoneName: 'short' }).format(time)
}

/** City and country, the country by its name. */
export function placeName(city: string | null, country: string | null, locale: string): string {
  return [city, country && countryName(country, locale)].filter(Boolean).join(', ')
}

/** The name of a country. A text that is no ISO code is shown as it is. */
export function countryName(country: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  try {
    return new Intl.DisplayNames(locale, { type: 'region' }).of(country) ?? country
  } catch {
    return country // No code of a country.
  }
}
