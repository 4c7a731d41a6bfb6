import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { DISABLED_FEATURES } from './disabled-features.ts'

it('disables every Chromium feature that Playwright disables', () => {
  const source = readFileSync(
    createRequire(import.meta.url).resolve('playwright-core/lib/coreBundle'),
    'utf8',
  )
  const list = /disabledFeatures = \[([^\]]+)\]/.exec(source)?.[1] ?? ''
  const theirs = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, name]) => name)
  expect(theirs).toContain('PaintHolding') // The test has found Playwright's list.
  expect(DISABLED_FEATURES).toEqual(expect.arrayContaining(theirs))
})
