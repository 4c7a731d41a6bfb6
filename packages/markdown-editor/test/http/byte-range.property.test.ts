import { isQuillgateError } from '@quillgate/server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseByteRange } from '../../src/http/conditions.ts'

const size = fc.integer({ min: 1, max: 1000 })
const position = fc.integer({ min: 0, max: 1200 })

function rangeOf(bytes: readonly number[]): { start: number; end: number } | null {
  const [start] = bytes
  return start === undefined ? null : { start, end: bytes.at(-1) ?? start }
}

function parsed(header: string, length: number): unknown {
  try {
    return parseByteRange(header, length)
  } catch (error) {
    expect(error).toMatchObject({
      code: 'range_not_satisfiable',
      headers: { 'content-range': `bytes */${length}` },
    })
    return null
  }
}

describe('parseByteRange', () => {
  it('parses ranges as RFC 9110 specifies', () => {
    fc.assert(
      fc.property(size, position, position, (length, first, last) => {
        const all = Array.from({ length }, (_, index) => index)
        expect(parsed(`bytes=${first}-`, length)).toEqual(rangeOf(all.slice(first)))
        expect(parsed(`bytes=-${last}`, length)).toEqual(
          rangeOf(last === 0 ? [] : all.slice(-last)),
        )
        if (first <= last)
          expect(parsed(`bytes=${first}-${last}`, length)).toEqual(
            rangeOf(all.slice(first, last + 1)),
          )
        else expect(parseByteRange(`bytes=${first}-${last}`, length)).toBeNull()
      }),
    )
  })

  it('returns a range within the file or null, or throws 416, for any header', () => {
    const header = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom('bytes=', '0', '7', '-', ',', ' ', '9'.repeat(30), '\t', 'x'),
      }),
    )
    fc.assert(
      fc.property(header, size, (text, length) => {
        try {
          const range = parseByteRange(text, length)
          if (range === null) return
          expect(range.start).toBeGreaterThanOrEqual(0)
          expect(range.end).toBeGreaterThanOrEqual(range.start)
          expect(range.end).toBeLessThan(length)
        } catch (error) {
          expect(isQuillgateError(error) && error.code).toBe('range_not_satisfiable')
        }
      }),
    )
  })
})
