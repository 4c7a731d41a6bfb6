import { readFileSync } from 'node:fs'

/**
 * Which cases a decision does not name: every difference from the original has its reason there.
 *
 * @param file in `docs/decisions`
 * @param ids of the cases that differ
 */
export function missingIn(file: string, ids: readonly string[]): string[] {
  const decision = readFileSync(new URL(`../../docs/decisions/${file}`, import.meta.url), 'utf8')
  return ids.filter((id) => !decision.includes(`\`${id}\``))
}
