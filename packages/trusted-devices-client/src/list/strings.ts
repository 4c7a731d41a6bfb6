import type { en } from './strings/en.ts'

/** The texts of the list. `{name}`, `{address}`, `{count}` and `{seconds}` are placeholders. */
export type DeviceListStrings = Readonly<Record<keyof typeof en, string>>

/** Replaces texts by their keys. Ignores unknown keys and values that are not text. */
export function replaceStrings(
  ours: DeviceListStrings,
  changed: Readonly<Record<string, unknown>>,
): DeviceListStrings {
  const theirs = Object.entries(changed).filter(
    ([key, text]) => Object.hasOwn(ours, key) && typeof text === 'string',
  )
  return { ...ours, ...Object.fromEntries(theirs) }
}

/** Returns the language of a BCP 47 tag, for example `de` for `de-AT`. */
export function languageOf(locale: string): string {
  return locale.toLowerCase().split(/[-_]/)[0] ?? ''
}

/** Fills in the placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? String(values[key]) : whole,
  )
}

/**
 * Returns the text for a rejected request.
 *
 * @param name the name of the device, for the placeholder `{name}`
 */
export function problemText(
  strings: DeviceListStrings,
  { code, detail, seconds = 60 }: { code: string; detail: string; seconds?: number | undefined },
  name: string,
): string {
  const text = Object.hasOwn(strings, code) ? strings[code as keyof DeviceListStrings] : detail
  return fill(text || strings.failed, { seconds, name }).trim()
}
