import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

it('the tables of settings and options in the guides are generated from the schemas', () => {
  const script = join(root, 'scripts', 'option-tables.mjs')
  const conditions = '--conditions=@quillgate/source'
  expect(() => execFileSync(process.execPath, [conditions, script, '--check'])).not.toThrow()
})

describe('the guide to trusted devices', () => {
  const guide = read('apps', 'docs', 'trusted-devices.md')

  it('has a line for every reason of a revocation', () => {
    const source = read('packages', 'trusted-devices', 'src', 'devices', 'device-event.ts')
    const body = /export type RevocationReason =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
    const reasons = [...body.matchAll(/\| '(\w+)'/g)].map(([, name]) => name)
    expect(reasons.length).toBeGreaterThan(5)
    expect(
      reasons.filter((name) => !new RegExp(`^\\|.*\`${name}\`.*\\|`, 'm').test(guide)),
    ).toEqual([])
  })
})
