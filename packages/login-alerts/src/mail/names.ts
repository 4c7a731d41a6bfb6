import bowser from 'bowser'

const MAX_NAME = 60
const MAX_SUBJECT = 200

const BROWSERS: ReadonlySet<string> = new Set([
  ...Object.values(bowser.BROWSER_MAP),
  ...['Opera GX', 'Opera Touch', 'Samsung Internet'], // The map does not contain these names.
])
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP))

// Matches one word such as `my-app` with at most four digits, because five digits could be a
// telephone number.
const PROGRAM = /^(?!(?:\D*\d){5})[A-Za-z][A-Za-z0-9]{0,15}(?:[-_][A-Za-z0-9]{1,8})?$/

/**
 * Converts the name of a city or a country to one short line of plain words. A stranger can choose
 * these names, and could write a message to the account's owner in them. Removes control
 * and direction characters, and everything that mail programs turn into links (`evil.example`,
 * `a@b`, `//`).
 */
export function plainName(text: string): string {
  const words = text
    .slice(0, 4 * MAX_NAME)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}@/\\:<>]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]+/gu, '')
    .replace(/(?<=[\p{L}\p{N}-])[.。．｡](?=[\p{L}\p{N}]*\p{L})/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const letters = [...words]
  if (letters.length <= MAX_NAME) return words
  const start = letters.slice(0, MAX_NAME - 1).join('')
  return `${start.trim()}…`
}

/** Converts a subject to one line of at most 200 characters. A second line would add a header. */
export function subjectLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_SUBJECT).join('')
}

/**
 * Returns the name of a known browser or a name of one word. Otherwise, returns null, because a
 * stranger can choose any text.
 */
export function shownBrowser(text: string): string | null {
  const [, name = text] = /^(.*) \d{1,4}$/u.exec(text) ?? []
  return BROWSERS.has(name) || PROGRAM.test(name) ? text : null
}

/** Returns the name of a known operating system, otherwise null. */
export function shownSystem(text: string): string | null {
  return SYSTEMS.has(text) ? text : null
}
