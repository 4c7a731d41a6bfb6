import { isStorageKey } from '@quillgate/storage'

const CODE = /%(.?)/gu

/** The positions of the date codes in an ISO 8601 date. */
const CODES: ReadonlyMap<string, readonly [start: number, end: number]> = new Map([
  ['Y', [0, 4]],
  ['m', [5, 7]],
  ['d', [8, 10]],
  ['H', [11, 13]],
])

/** Replaces the date codes of a path, in UTC. So servers in all time zones get the same path. */
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

/** Returns the problem of a path that ends with `/`, as a phrase ("must …"). If valid, null. */
export function pathTemplateProblem(template: string): string | null {
  const unknown = [...template.matchAll(CODE)].find(([, letter]) => !CODES.has(letter ?? ''))
  if (unknown)
    return `must use only the date codes ${[...CODES.keys()].map((letter) => `%${letter}`).join(', ')}`
  const filledIn = expandPathTemplate(template, 0)
  if (!filledIn.endsWith('/') || !isStorageKey(filledIn.slice(0, -1)))
    return 'must be a relative folder of letters, digits, ".", "_" and "-", without "." and ".." as segments'
  return fixedPathPrefix(template) === ''
    ? 'must begin with a fixed segment, before any date code'
    : null
}
