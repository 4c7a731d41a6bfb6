import { INVALID_KEYS } from '@quillgate/storage/testing/suites'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorageKey, parseStorageKey, parseStoragePrefix } from '../src/storage-key.ts'

describe('parseStorageKey', () => {
  it.each(INVALID_KEYS.map((key) => [key]))('rejects %j', (key) => {
    expect(() => parseStorageKey(key)).toThrow(
      expect.objectContaining({ code: 'invalid_storage_key', status: 400 }),
    )
    expect(() => parseStoragePrefix(`${key}/`)).toThrow(
      expect.objectContaining({ code: 'invalid_storage_key' }),
    )
  })

  it('rejects values that are not strings', () => {
    for (const value of [null, undefined, 1, {}, ['a'], { toString: () => 'a' }]) {
      expect(() => parseStorageKey(value as string)).toThrow(
        expect.objectContaining({ code: 'invalid_storage_key' }),
      )
    }
  })

  it('returns a valid key unchanged', () => {
    for (const key of ['a', 'a/b.c', 'md-editor/tmp/m0-фото.png', 'a_b-c', '1/2'])
      expect(parseStorageKey(key)).toBe(key)
  })

  it('accepts only keys that paths and URLs read as names', () => {
    const pieces = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2f',
      '\0',
      ' ',
      ':',
      '~',
      'ф',
      '\u202e',
      '\ud800',
      '//',
    )
    const keys = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(keys, (key) => {
        if (!isStorageKey(key)) return
        const { pathname } = new URL(
          key.split('/').map(encodeURIComponent).join('/'),
          'http://localhost/base/',
        )
        expect(decodeURIComponent(pathname)).toBe(`/base/${key}`)
        expect(key).not.toMatch(/[\\:%~\s]|(^|\/)\.|\.(\/|$)|\/\/|^\/|\/$/)
      }),
      { numRuns: 500 },
    )
  })
})
