import { createMarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate, type Quillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/next'
import { memoryStorage } from '@quillgate/storage/testing'
import { createTrustedDevices, type TrustedDevices } from '@quillgate/trusted-devices'
import { NextResponse } from 'next/server.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ada = { id: '1' }

describe('calls in pages and actions of Next', () => {
  let gate: Quillgate
  let devices: TrustedDevices
  beforeEach(() => {
    const secret = 'a secret of at least thirty-two bytes'
    gate = createQuillgate({
      secret,
      database: 'sqlite::memory:',
      trustedProxies: ['unix'],
    })
    devices = createTrustedDevices(gate, { users: { findById: () => ada } })
    mount(gate)
  })
  afterEach(() => gate.close())

  const headersOf = (cookie = ''): Headers => new Headers({ host: 'localhost:3000', cookie })

  it('sets cookies of a server action with their attributes, and a server component reads them', async () => {
    const answer = NextResponse.json({})
    await devices.login(ada, { headers: headersOf(), cookies: answer.cookies })
    const cookies = answer.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\//)
      expect(cookie).toMatch(/; SameSite=lax/i)
    }
    expect(cookies.filter((each) => each.includes('; HttpOnly')).length).toBeGreaterThan(0)
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ')
    expect(await devices.authenticate(headersOf(cookie))).toMatchObject({ user: ada })
  })

  it('rejects a login in a server component before it writes anything', async () => {
    await expect(devices.login(ada, headersOf())).rejects.toMatchObject({
      code: 'configuration_error',
    })
    expect(await devices.registry.list(ada.id)).toMatchObject({ devices: [] })
  })

  it.each<[string, (request: Request) => unknown]>([
    ['has been read', (request) => request.arrayBuffer()],
    ['is being read', (request) => request.body?.getReader()],
  ])('names the mistake if the body of a form %s', async (_, read) => {
    const authenticate = (): typeof ada => ada
    const editor = createMarkdownEditor(gate, { storage: memoryStorage(), authenticate })
    const headers = {
      host: 'localhost:3000',
      authorization: 'Bearer a',
      'content-type': 'multipart/form-data; boundary=b',
    }
    const init = { method: 'POST', headers, body: '--b--\r\n' }
    const request = new Request('http://localhost:3000/posts', init)
    await read(request)
    await expect(editor.readForm(request)).rejects.toMatchObject({
      status: 500,
      code: 'body_already_read',
    })
  })
})
