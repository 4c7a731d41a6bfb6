import fc from 'fast-check'
import { describe, it } from 'vitest'
import { incrementalProperty } from './support/incremental-property.ts'

describe('an incremental renderer', () => {
  it('returns the bytes of a full render after every edit, and patches that produce them', () => {
    fc.assert(incrementalProperty, { numRuns: 300 })
  }, 60_000)
})
