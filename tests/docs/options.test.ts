import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

describe('the guide of trusted devices', () => {
  const guide = read('apps', 'docs', 'trusted-devices.md')

  it('has a line for every option', () => {
    const source = read('packages', 'trusted-devices', 'src', 'options.ts')
    const body =
      /export interface TrustedDevicesOptions\S* [\s\S]*?\{([\s\S]*?)\n\}/.exec(source)?.[1] ?? ''
    const options = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
    expect(options.length).toBeGreaterThan(20)
    const table = /## Options\n([\s\S]*?)\n## /.exec(guide)?.[1] ?? ''
    expect(
      options.filter((name) => name !== 'settings' && !table.includes(`| \`${name}\` |`)),
    ).toEqual([])
  })

  it('has a line for every reason of a revocation', () => {
    const source = read('packages', 'trusted-devices', 'src', 'devices', 'facts.ts')
    const body = /export type RevocationReason =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
    const reasons = [...body.matchAll(/\| '(\w+)'/g)].map(([, name]) => name)
    expect(reasons.length).toBeGreaterThan(5)
    expect(
      reasons.filter((name) => !new RegExp(`^\\|.*\`${name}\`.*\\|`, 'm').test(guide)),
    ).toEqual([])
  })
})
