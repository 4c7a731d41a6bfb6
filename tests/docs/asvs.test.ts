import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const guide = join(import.meta.dirname, '..', '..', 'apps', 'docs', 'asvs.md')

/** The number of requirements in each section of ASVS 5.0.0, chapter V7. */
const REQUIREMENTS: Readonly<Record<string, number>> = {
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 3,
  '7.6': 2,
}

/**
 * Returns the test titles that a table row quotes. Each title belongs to the file of the last link
 * before it.
 */
function claimsOf(shownBy: string): { file: string; title: string }[] {
  const claims: { file: string; title: string }[] = []
  let file = ''
  for (const [, link, title] of shownBy.matchAll(/\]\(([^)]+)\)|"([^"]+)"/g)) {
    if (link !== undefined) file = join(dirname(guide), link)
    else if (title !== undefined) claims.push({ file, title })
  }
  return claims
}

const rows = readFileSync(guide, 'utf8')
  .split('\n')
  .map((line) => line.split(' | '))
  .filter(([id]) => /^\| 7\.\d\.\d$/.test(id ?? ''))
  .map((cells) => ({ id: cells[0]?.slice(2) ?? '', claims: claimsOf(cells.slice(3).join(' | ')) }))

describe('the map from ASVS 5.0 V7', () => {
  it('has a row for each requirement, in order', () => {
    const ids = Object.entries(REQUIREMENTS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    )
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })

  it.each(rows)('$id refers to existing tests', ({ claims }) => {
    expect(claims).not.toEqual([])
    for (const { file, title } of claims) {
      expect(existsSync(file), file).toBe(true)
      const titles = readFileSync(file, 'utf8').matchAll(
        /\b(?:it|describe)(?:\.\w+)?(?:<[^>]*>)?\(\s*(['"`])(.*?)\1,|\]\)\((['"`])(.*?)\3,/g,
      )
      const all = [...titles].map((match) => match[2] ?? match[4] ?? '')
      expect(
        all.some((one) => one.includes(title)),
        `${title} in ${file}`,
      ).toBe(true)
    }
  })
})
