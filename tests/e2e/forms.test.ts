import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningDemo, startDemo } from '../support/demo.ts'

describe("the demo's forms", () => {
  let demo: RunningDemo

  beforeAll(async () => {
    demo = await startDemo({ QUILLGATE_LOGIN_RATE_LIMIT: 'off' })
  })

  afterAll(() => demo?.stop())

  /** A browser as far as forms need one: it keeps cookies and follows no redirects. */
  function createVisitor() {
    const jar = new Map<string, string>()
    const send = async (path: string, body?: URLSearchParams | Buffer, headers: Record<string, string> = {}) => {
      const response = await fetch(new URL(path, demo.url), {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          origin: demo.url,
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          ...headers,
        },
        ...(body ? { body: body instanceof URLSearchParams ? body.toString() : new Uint8Array(body) } : {}),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (/max-age=0/i.test(cookie)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    }
    const tokenOf = async (path: string): Promise<string> =>
      /name="csrf_token" value="([^"]+)"/.exec(await (await send(path)).text())?.[1] ?? ''
    const signIn = async (): Promise<void> => {
      const fields = { csrf_token: await tokenOf('/login'), username: 'ada', password: 'quillgate' }
      expect((await send('/login', new URLSearchParams(fields))).status).toBe(303)
    }
    return { jar, send, signIn, tokenOf }
  }

  it('refuse compressed bodies, before anything is inflated', async () => {
    const { send } = createVisitor()
    const bomb = gzipSync(Buffer.from(`username=${'a'.repeat(1_000_000)}`))
    for (const path of ['/login', '/logout', '/posts', '/devices/revoke-all']) {
      expect((await send(path, bomb, { 'content-encoding': 'gzip' })).status).toBe(415)
    }
  })

  it('refuse a foreign origin and a missing token', async () => {
    const { send, signIn, tokenOf } = createVisitor()
    await signIn()
    const fields = new URLSearchParams({ csrf_token: await tokenOf('/devices') })
    expect((await send('/devices/revoke-all', fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send('/devices/revoke-all', new URLSearchParams())).status).toBe(403)
    expect((await send('/devices')).status).toBe(200)
  })

  it('give a text back when its writer was signed out meanwhile, and take it after the next sign-in', async () => {
    const { jar, send, signIn, tokenOf } = createVisitor()
    await signIn()
    const fields = { csrf_token: await tokenOf('/posts/new'), title: 'Kept', body: 'Every <word> of it' }
    jar.delete('quillgate_session')

    const outdated = await send('/posts', new URLSearchParams(fields))
    expect(outdated.status).toBe(403)
    expect(await outdated.text()).toContain('Every &#60;word&#62; of it')

    await signIn()
    const again = await send('/posts', new URLSearchParams(fields))
    expect(again.status).toBe(403)
    const token = /name="csrf_token" value="([^"]+)"/.exec(await again.text())?.[1] ?? ''
    const saved = await send('/posts', new URLSearchParams({ ...fields, csrf_token: token }))
    expect(saved.headers.get('location')).toMatch(/^\/posts\/[0-9a-f-]{36}$/)
  })
})
