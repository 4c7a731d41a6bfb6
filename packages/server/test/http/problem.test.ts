import { ConfigurationError, QuillgateError } from '@quillgate/server/core'
import { problemResponse } from '@quillgate/server/http'
import { describe, expect, it, vi } from 'vitest'
import { methodNotAllowed } from '../../src/http/problem.ts'

describe('problemResponse', () => {
  it('returns type, title, status, detail and code, and forbids caching', async () => {
    const response = problemResponse(
      new QuillgateError('missing_file', 400, 'Send the file in the field "file".'),
    )
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      type: 'urn:quillgate:problem:missing_file',
      title: 'Missing file',
      status: 400,
      detail: 'Send the file in the field "file".',
      code: 'missing_file',
    })
  })

  it('lists the problems of single properties', async () => {
    const errors = [{ field: 'name', message: 'must be a string' }]
    const response = problemResponse(
      new QuillgateError('validation_error', 422, 'The name is wrong.', { errors }),
    )
    expect(await response.json()).toMatchObject({ status: 422, code: 'validation_error', errors })
  })

  it('sends the headers of the error', () => {
    const error = new QuillgateError('rate_limited', 429, 'Later.', {
      headers: { 'Retry-After': '7' },
    })
    expect(problemResponse(error).headers.get('retry-after')).toBe('7')
  })

  it('adds www-authenticate to a 401, unless the error has its own', () => {
    const plain = new QuillgateError('authentication_required', 401, 'Sign in.')
    const own = new QuillgateError('token_expired', 401, 'Expired.', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
    expect(problemResponse(plain).headers.get('www-authenticate')).toBe('Bearer')
    expect(problemResponse(own).headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token"',
    )
  })

  it.each([
    ['an error of another library', new Error('password=hunter2')],
    [
      'a ConfigurationError, which quotes settings',
      new ConfigurationError('database', 'is wrong', 'hunter2'),
    ],
    ['a value that is not an Error', 'hunter2'],
    ['null', null],
    ['an error with an impossible status', new QuillgateError('hunter2', 200, 'hunter2')],
  ])('answers %s with 500 without details', async (_name, error) => {
    const onUnexpected = vi.fn()
    const response = problemResponse(error, { onUnexpected })
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', status: 500 })
    expect(text).not.toContain('hunter2')
    expect(onUnexpected).toHaveBeenCalledOnce()
  })

  it('reports Quillgate errors with a 5xx status, and no others', () => {
    const onUnexpected = vi.fn()
    const full = new QuillgateError('storage_full', 507, 'The storage is full.')
    problemResponse(full, { onUnexpected })
    problemResponse(new QuillgateError('missing_file', 400, 'No file.'), { onUnexpected })
    expect(onUnexpected.mock.calls).toEqual([[full]])
  })

  it('recognizes errors of another copy of this package', async () => {
    const members = {
      code: 'missing_file',
      status: 400,
      headers: {},
      errors: [],
      [Symbol.for('quillgate.error')]: true,
    }
    const copy = Object.assign(new Error('No file.'), members)
    expect(await problemResponse(copy).json()).toMatchObject({ code: 'missing_file', status: 400 })
  })
})

describe('methodNotAllowed', () => {
  it('returns 405 with the allow header', async () => {
    const response = problemResponse(methodNotAllowed(['GET', 'HEAD']))
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(await response.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
  })
})
