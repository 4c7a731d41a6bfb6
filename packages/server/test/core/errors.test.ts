import { defineErrors, isQuillgateError, QuillgateError } from '@quillgate/server/core'
import { describe, expect, expectTypeOf, it } from 'vitest'

const shopError = defineErrors({
  sold_out: { status: 409, title: 'Nothing left', when: 'no copy is left' },
  closed: { status: 403, when: 'the shop is closed' },
})

describe('defineErrors', () => {
  it('creates errors with the status and title of the table', () => {
    const cause = new Error('no rows')
    const error = shopError('sold_out', 'Order another book.', { cause, internal: 'Book 7.' })
    expect(error).toBeInstanceOf(QuillgateError)
    expect(error).toMatchObject({
      code: 'sold_out',
      status: 409,
      title: 'Nothing left',
      detail: 'Order another book.',
      message: 'Book 7.',
      cause,
    })
  })

  it('accepts another status in a call', () => {
    expect(shopError('closed', 'Come back tomorrow.', { status: 401 })).toMatchObject({
      status: 401,
      title: 'Closed',
    })
  })

  it('accepts only the codes of the table', () => {
    expectTypeOf(shopError).parameter(0).toEqualTypeOf<'sold_out' | 'closed'>()
    expectTypeOf(shopError('closed', '').code).toEqualTypeOf<'sold_out' | 'closed'>()
    // @ts-expect-error: a code that the table does not contain
    expect(() => shopError('sold', '')).toThrow(TypeError)
  })
})

describe('isQuillgateError', () => {
  it('narrows an error to the codes of a package', () => {
    const error: unknown = shopError('closed', 'Come back tomorrow.')
    if (!isQuillgateError<'sold_out' | 'closed'>(error)) throw error
    expectTypeOf(error.code).toEqualTypeOf<'sold_out' | 'closed'>()
    expect(error.code).toBe('closed')
  })

  it('uses the code in words as the title of an error of the application', () => {
    expect(new QuillgateError('post_locked', 409, 'Later.').title).toBe('Post locked')
  })
})
