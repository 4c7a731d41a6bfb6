import { isStorageKey } from '@quillgate/storage'

const CODE = /%(.?)/gu

/** For each date code, the position of its value in an ISO 8601 date. */
const CODES: ReadonlyMap<string, readonly [start: number, end: number]> = new Map([
  ['Y', [0, 4]],
  ['m', [5, 7]],
  ['d', [8, 10]],
  ['H', [11, 13]],
])

/** Replaces the date codes of a path with the UTC date of `at`, so that all servers agree. */
export function expandPathTemplate(template: string, at: number): string {
  const date = new Date(at).toISOString()
  return template.replace(CODE, (code, letter: string) => {
    const position = CODES.get(letter)
    return position ? date.slice(...position) : code
  })
}

/** Returns the segments of an upload path before the first segment with a date code. */
export function fixedPathPrefix(template: string): string {
  const dated = template.indexOf('%')
  return dated === -1 ? template : template.slice(0, template.lastIndexOf('/', dated) + 1)
}

/** Validates a path that ends with `/`. Returns null, or the problem as a phrase ("must …"). */
export function pathTemplateProblem(template: string): string | null {
  const unknown = [...template.matchAll(CODE)].find(([, letter]) => !CODES.has(letter ?? ''))
  if (unknown)
    return `must use only the date codes ${[...CODES.keys()].map((letter) => `%${letter}`).join(', ')}`
  const filledIn = expandPathTemplate(template, 0)
  if (!filledIn.endsWith('/') || !isStorageKey(filledIn.slice(0, -1)))
    return 'must be a relative folder such as "uploads/media/". Its segments may contain letters, digits, ".", "_" and "-", but no segment may begin or end with "."'
  return fixedPathPrefix(template) === ''
    ? 'must begin with a fixed segment, before any date code'
    : null
}
