import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('differences.md', import.meta.url), 'utf8')

/** Returns the cases without a reason: `differences.md` names every difference from the original. */
export function missingReasons(ids: readonly string[]): string[] {
  return ids.filter((id) => !new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(page))
}
