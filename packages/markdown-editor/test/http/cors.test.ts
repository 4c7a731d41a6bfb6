import { ConfigurationError } from '@quillgate/server/core'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestCsrf } from '../../../server/test/support/test-csrf.ts'
import { ORIGIN, openEditor, png, type TestEditor } from '../editor-fixture.ts'

const APP = 'https://app.example.com'
const secret = 'a secret of at least thirty-two bytes'

let opened: TestEditor | undefined
afterEach(() => opened?.close())

const form = (): FormData => {
  const body = new FormData()
  body.append('file', new File([png()], 'a.png', { type: 'image/png' }))
  return body
}

describe('cors', () => {
  it('allows uploads of bearer clients from a listed origin', async () => {
    opened = await openEditor({}, { cors: { origins: [APP] } })
    const { request } = opened
    const preflight = await request('OPTIONS', '/md-editor/upload', {
      user: null,
      headers: { origin: APP, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST, OPTIONS',
    ])
    const uploaded = await request('POST', '/md-editor/upload', {
      body: form(),
      headers: { origin: APP },
    })
    expect([uploaded.status, uploaded.headers.get('access-control-allow-origin')]).toEqual([
      201,
      APP,
    ])
    const { url } = (await uploaded.json()) as { url: string }
    const file = await request('GET', url, { headers: { origin: APP } })
    expect([file.headers.get('access-control-allow-origin'), file.headers.get('vary')]).toEqual([
      APP,
      'origin',
    ])
    expect((await file.arrayBuffer()).byteLength).toBe(png().byteLength)
    const foreign = await request('GET', url, { headers: { origin: 'https://evil.example' } })
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([
      200,
      null,
    ])
  })

  it('rejects requests with cookies from a listed origin', async () => {
    const csrf = createTestCsrf({ secret })
    const cors = { origins: [APP], credentials: true }
    opened = await openEditor({}, { cors, authenticate: () => ({ id: 'ada' }) })
    const { token, headers } = csrf.issue({ request: new Request(ORIGIN) }, { id: 'ada' })
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const send = (origin: string): Promise<Response> =>
      opened!.request('POST', '/md-editor/upload', {
        user: null,
        body: form(),
        headers: { origin, cookie, 'x-csrf-token': token },
      })
    expect((await send(ORIGIN)).status).toBe(201)
    const refused = await send(APP)
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'csrf_failed' }])
  })

  it('is off by default, and validated at start', async () => {
    opened = await openEditor()
    expect(
      (await opened.request('OPTIONS', '/md-editor/upload', { headers: { origin: APP } })).status,
    ).toBe(405)
    await expect(openEditor({}, { cors: { origins: ['example.com'] } })).rejects.toThrow(
      ConfigurationError,
    )
  })
})
