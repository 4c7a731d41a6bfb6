import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUuid } from '../src/uuid.ts'

describe('parseUuid', () => {
  it('accepts upper and lower case, and nothing else', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => void expect(parseUuid(uuid.toUpperCase())).toBe(uuid)),
    )
    for (const text of [
      '',
      'x',
      '019b76daa80070008fffffffffffffff',
      ' 019b76da-a800-7000-bfff-ffffffffffff',
    ]) {
      expect(parseUuid(text)).toBeNull()
    }
  })
})
