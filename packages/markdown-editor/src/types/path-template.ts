import { isStorageKey } from '@quillgate/storage'

const CODE = /%(.?)/gu

const CODES: ReadonlyMap<string, (date: Date) => string> = new Map([
  ['Y', (date) => String(date.getUTCFullYear()).padStart(4, '0')],
  ['m', (date) => twoDigits(date.getUTCMonth() + 1)],
  ['d', (date) => twoDigits(date.getUTCDate())],
  ['H', (date) => twoDigits(date.getUTCHours())],
])

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}

/** Fills in the date codes of a path, in UTC, so that servers in all time zones agree. */
export function expandPathTemplate(template: string, at: number): string {
  const date = new Date(at)
  return template.replace(CODE, (code, letter: string) => CODES.get(letter)?.(date) ?? code)
}

/** Returns the segments of an upload path before the first one with a date code. */
export function fixedPathPrefix(template: string): string {
  const dated = template.indexOf('%')
  return dated === -1 ? template : template.slice(0, template.lastIndexOf('/', dated) + 1)
}

/** Returns the problem of a path that ends with `/`, as a phrase ("must …"); null if valid. */
export function pathTemplateProblem(template: string): string | null {
  const unknown = [...template.matchAll(CODE)].find(([, letter]) => !CODES.has(letter ?? ''))
  if (unknown)
    return `must use no other date codes than ${[...CODES.keys()].map((letter) => `%${letter}`).join(', ')}`
  const filledIn = expandPathTemplate(template, 0)
  if (!filledIn.endsWith('/') || !isStorageKey(filledIn.slice(0, -1))) {
    return 'must be a relative folder of letters, digits, ".", "_" and "-", without "." and ".." as segments'
  }
  return fixedPathPrefix(template) === ''
    ? 'must begin with a fixed segment, before any date code'
    : null
}
