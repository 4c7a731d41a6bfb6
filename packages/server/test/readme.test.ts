import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('testing'))
  .map((file) =>
    readFileSync(join(root, 'src', file), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, ''),
  )
  .join('\n')

describe('the table of error codes', () => {
  it('has every code of this package with its status, and no other', () => {
    const table = readFileSync(join(root, 'README.md'), 'utf8').matchAll(
      /^\| `([a-z_]+)` \| (\d{3}) \|/gm,
    )
    const documented = [...table].map(([, code, status]) => `${code} ${status}`)
    // Codes with a status beside them, 413s that go through a helper, and the default of readJson.
    const thrown = [
      ...[...sources.matchAll(/'([a-z]+(?:_[a-z]+)+)',\s*(\d{3})/g)].map(
        ([, code, status]) => `${code} ${status}`,
      ),
      ...[...sources.matchAll(/refuse\('([a-z_]+)'/g)].map(([, code]) => `${code} 413`),
      ...[...sources.matchAll(/tooLargeCode = '([a-z_]+)'/g)].map(([, code]) => `${code} 413`),
    ]
    expect(documented).toEqual([...new Set(thrown)].sort())
  })
})
