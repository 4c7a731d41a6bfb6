import { toUserId } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { contextOf } from '../http/support/context.ts'
import { createTestCsrf } from '../support/test-csrf.ts'

describe('toUserId', () => {
  it.each<[unknown, string]>([
    ['a', 'a'],
    [1, '1'],
    [0, '0'],
    [10n ** 20n, '100000000000000000000'],
    ['x'.repeat(250), 'x'.repeat(250)],
  ])('writes %s as text', (id, text) => {
    expect(toUserId(id)).toBe(text)
  })

  it.each([
    undefined,
    null,
    '',
    true,
    {},
    1.5,
    Number.NaN,
    2 ** 53,
    'x'.repeat(251),
    'a\0b',
    'a\ud800',
  ])('rejects %j, which users could share', (id) => {
    expect(() => toUserId(id)).toThrow(
      expect.objectContaining({ code: 'invalid_user', status: 500 }),
    )
  })

  it('is used by createCsrf, so that no two users share tokens', () => {
    const csrf = createTestCsrf({ secret: 'a secret of at least thirty-two bytes' })
    const withoutId = { _id: 'a' } as never
    expect(() => csrf.issue(contextOf(), withoutId)).toThrow(
      expect.objectContaining({ code: 'invalid_user' }),
    )
    expect(() => csrf.rotate(contextOf(), withoutId)).toThrow(
      expect.objectContaining({ code: 'invalid_user' }),
    )
  })
})
