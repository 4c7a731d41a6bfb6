import { describe, expect, it } from 'vitest'
import { problemOf, type Visitor } from './open-routes.ts'
import { ada, post, UPLOAD, useUploads } from './upload-requests.ts'

const { open } = useUploads()

describe('uploadRateLimit', () => {
  it('counts the uploads of each user, and allows more as time passes', async () => {
    const { send, clock, keys } = await open({ settings: { uploadRateLimit: '2/minute' } })
    expect((await send(UPLOAD, post(), ada)).status).toBe(201)
    expect((await send(UPLOAD, post(), { ...ada, address: '198.51.100.7' })).status).toBe(201)
    const refused = await send(UPLOAD, post(), ada)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await send(UPLOAD, post(), { user: 'grace' })).status).toBe(201)
    clock.advance(60_000)
    expect((await send(UPLOAD, post(), ada)).status).toBe(201)
    expect(await keys()).toHaveLength(4)
  })

  it('is 20 times higher for anonymous visitors behind an untrusted proxy, but not for users', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute', requireAuth: false } })
    const forwarded = { 'x-forwarded-for': '203.0.113.1' }
    const statuses = async (count: number, as: Visitor): Promise<number[]> => {
      const answers: number[] = []
      for (let i = 0; i < count; i++)
        answers.push((await send(UPLOAD, post(undefined, forwarded), as)).status)
      return answers
    }
    expect(await statuses(21, { address: '127.0.0.1' })).toEqual([...Array(20).fill(201), 429])
    expect(await statuses(2, { ...ada, address: '127.0.0.1' })).toEqual([201, 429])
  })

  it('counts anonymous uploads by address, because sessions cost nothing', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute', requireAuth: false } })
    expect((await send(UPLOAD, post())).status).toBe(201)
    expect((await send(UPLOAD, post())).status).toBe(429)
    expect((await send(UPLOAD, post(), { address: '198.51.100.7' })).status).toBe(201)
  })

  it('does not count requests that CSRF protection rejects', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute' } })
    for (let attempt = 0; attempt < 3; attempt++) {
      expect((await send(UPLOAD, post(), { ...ada, csrf: 'none' })).status).toBe(403)
    }
    expect((await send(UPLOAD, post(), ada)).status).toBe(201)
  })

  it('can be disabled', async () => {
    const { send } = await open({ settings: { uploadRateLimit: null } })
    for (let index = 0; index < 70; index++)
      expect((await send(UPLOAD, post(), ada)).status).toBe(201)
  })
})
