import { jsonResponse } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'

describe('jsonResponse', () => {
  it('returns JSON that no cache stores', async () => {
    const response = jsonResponse({ url: '/a' }, { status: 201 })
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.json()).toEqual({ url: '/a' })
  })

  it('keeps every given header, including every set-cookie', () => {
    const headers = new Headers({ 'cache-control': 'max-age=5' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const response = jsonResponse(null, { headers })
    expect(response.headers.get('cache-control')).toBe('max-age=5')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('writes null for values that JSON does not have', async () => {
    expect(await jsonResponse(undefined).text()).toBe('null')
  })
})
