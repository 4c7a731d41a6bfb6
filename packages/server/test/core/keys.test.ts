import { ConfigurationError } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { deriveKeys } from '../../src/core/keys.ts'

const A = 'a'.repeat(32)
const B = 'b'.repeat(32)

describe('deriveKeys', () => {
  it('returns the same key for the same secret and label', () => {
    expect(deriveKeys(A, 'csrf')).toEqual(deriveKeys(A, 'csrf'))
    expect(deriveKeys(A, 'csrf')).toEqual(deriveKeys([A], 'csrf'))
  })

  it('returns unrelated keys for other labels and other secrets', () => {
    const keys = [deriveKeys(A, 'csrf'), deriveKeys(A, 'jwt'), deriveKeys(B, 'csrf')].map((key) =>
      key.toString(),
    )
    expect(new Set(keys).size).toBe(3)
  })

  it('returns one key per secret, in their order', () => {
    expect(deriveKeys([A, B], 'csrf')).toEqual([...deriveKeys(A, 'csrf'), ...deriveKeys(B, 'csrf')])
  })

  it('returns keys of 32 bytes, and never the secret', () => {
    expect(deriveKeys(A, 'csrf')[0]).toHaveLength(32)
    expect(deriveKeys(A, 'csrf')[0].toString()).not.toContain('aaaa')
  })

  it('counts bytes, not characters', () => {
    expect(deriveKeys('ü'.repeat(16), 'csrf')).toHaveLength(1)
  })

  it.each([
    ['short', 'hunter2hunter2'],
    ['empty', ''],
    ['missing', undefined],
    ['an empty list', []],
    ['a list with a short secret', [A, 'hunter2hunter2']],
    ['no string', 42],
  ])('rejects a secret that is %s, without quoting it', (_name, secret) => {
    const derive = (): unknown => deriveKeys(secret as string, 'csrf')
    expect(derive).toThrow(ConfigurationError)
    expect(derive).toThrow(/^secret must have at least 32 bytes/)
    expect(derive).not.toThrow(/hunter2/)
  })
})
