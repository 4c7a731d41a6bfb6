import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('differences.md', import.meta.url), 'utf8')

/** Returns the ids of cases that `differences.md` does not mention. */
export function missingReasons(ids: readonly string[]): string[] {
  return ids.filter((id) => !new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(page))
}
