import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toSlug } from '../../src/writing/ids.ts'

describe('toSlug', () => {
  it.each([
    ['Getting started', 'getting-started'],
    ['  A  b ', 'a--b'],
    ['What’s new? (v2.0)', 'whats-new-v20'],
    ['snake_case and-more', 'snake_case-and-more'],
    ['a\nb\tc', 'a-b-c'],
    ['a\u00a0b', 'a-b'],
    ['Über ÉTÉ', 'über-été'],
    ['E\u0301', 'é'],
    ['Привет, мир', 'привет-мир'],
    ['日本語', '日本語'],
    ['हिन्दी', 'हिन्दी'],
    ['½ of ②', '½-of-②'],
    ['👍 yes', 'yes'],
    ['<b> & "c"', 'b--c'],
    ['?!', ''],
    ['', ''],
  ])('converts %j to %j', (text, slug) => {
    expect(toSlug(text)).toBe(slug)
  })

  it('returns at most 80 characters, and never half a character', () => {
    expect(toSlug('a'.repeat(100))).toBe('a'.repeat(80))
    expect(toSlug('\u{20000}'.repeat(100))).toBe('\u{20000}'.repeat(80))
    expect(toSlug(`${'a'.repeat(799)}\u{20000}`)).toBe('a'.repeat(80))
  })

  it('reads no more than 800 units', () => {
    expect(toSlug(`${'!'.repeat(800)}a`)).toBe('')
  })

  it.each([
    ['fn-1', 'heading-fn-1'],
    ['FnRef-2', 'heading-fnref-2'],
    ['Fn', 'heading-fn'], // A second heading with this text would get `fn-1`.
    ['fnord', 'fnord'],
  ])('never returns the name of a footnote: %j', (text, slug) => {
    expect(toSlug(text)).toBe(slug)
  })

  it('returns a valid id for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toSlug(text)).toMatch(/^[\p{L}\p{M}\p{N}_-]*$/u)
        expect(toSlug(text)).not.toMatch(/[A-Z]/)
      }),
    )
  })

  it('returns the same id on the fast path for plain text', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'aZ09_- \t\n\u00a0'), maxLength: 100 })
    fc.assert(
      fc.property(plain, (text) => {
        // The slug omits `…`, but only the text without `…` takes the fast path.
        const [start, end] = [text.trimEnd(), `${text.trimEnd()}…`]
        expect(toSlug(end)).toBe(toSlug(start))
      }),
    )
  })
})
