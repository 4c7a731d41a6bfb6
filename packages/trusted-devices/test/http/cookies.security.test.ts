import { describe, expect, it } from 'vitest'
import { Browser, problemOf, send } from '../support/client.ts'
import { useClient } from '../support/use-client.ts'

const opened = useClient()

describe('the Authorization header and cookies', () => {
  it('reject a bad bearer token even with a valid cookie', async () => {
    const browser = new Browser(opened.devices)
    await browser.login()
    const cookie = browser.cookieHeader()
    for (const authorization of [
      'Bearer nonsense',
      'Bearer',
      'Bearer ',
      'DPoP nonsense',
      'bearer a b',
    ]) {
      const response = await send(opened.devices, 'GET', '/trusted-devices', {
        headers: { cookie, authorization },
      })
      expect(await problemOf(response)).toBe('401 authentication_required')
    }
    const basic = { cookie, authorization: 'Basic YWRhOnB3' }
    expect((await send(opened.devices, 'GET', '/trusted-devices', { headers: basic })).status).toBe(
      200,
    )
  })

  it('are separate: token endpoints ignore cookies', async () => {
    const browser = new Browser(opened.devices)
    await browser.login()
    const { devices } = await opened.devices.registry.list('1')
    const response = await send(opened.devices, 'POST', '/trusted-devices/token', {
      headers: { cookie: browser.cookieHeader() },
      json: { username: 'ada', password: 'pw' },
    })
    expect(response.status).toBe(200)
    expect((await opened.devices.registry.list('1')).devices).toHaveLength(devices.length + 1)
  })

  it('separate http from https cookies, which are __Host- and Secure', async () => {
    const secure = new Browser(opened.devices, { origin: 'https://example.com' })
    const { headers } = await secure.login()
    for (const line of headers.getSetCookie()) {
      expect(line).toMatch(/^__Host-quillgate_/)
      expect(line).toMatch(/; Path=\/; .*Secure; SameSite=Lax$/)
      expect(/; HttpOnly; /.test(line)).toBe(!line.startsWith('__Host-quillgate_csrf='))
    }
    expect(await secure.visit()).not.toBeNull()
    const plain = new Browser(opened.devices)
    const login = await plain.login()
    for (const line of login.headers.getSetCookie()) expect(line).not.toContain('Secure')
    for (const [name, value] of plain.cookies) secure.cookies.set(name, value)
    for (const name of [...secure.cookies.keys()])
      if (name.startsWith('__Host-')) secure.cookies.delete(name)
    expect(await secure.visit()).toBeNull()
  })

  it.each(['', 'x', 'A'.repeat(76), 'A'.repeat(100_000), '%00', '../../etc/passwd'])(
    'do not authenticate the session cookie %j',
    async (value) => {
      const response = await send(opened.devices, 'GET', '/trusted-devices', {
        headers: { cookie: `quillgate_session=${value}` },
      })
      expect(await problemOf(response)).toBe('401 authentication_required')
    },
  )
})

describe('a CSRF token', () => {
  const state = async (): Promise<unknown> => (await opened.devices.registry.list('1')).devices

  it('is required for every change with cookies, and nothing changes without it', async () => {
    const browser = new Browser(opened.devices)
    await browser.login()
    const before = await state()
    opened.house.signals.take()
    const attacks: Record<string, string>[] = [
      {},
      { 'x-csrf-token': 'x' },
      { 'x-csrf-token': browser.csrfToken({ id: '1' }), origin: 'https://evil.example' },
      { 'x-csrf-token': browser.csrfToken({ id: '2' }) },
      { 'x-csrf-token': new Browser(opened.devices).csrfToken({ id: '1' }) },
      {
        'x-csrf-token': browser.csrfToken({ id: '1' }),
        origin: 'null',
        'sec-fetch-site': 'cross-site',
      },
    ]
    for (const headers of attacks) {
      for (const [method, path, json] of [
        ['DELETE', `/trusted-devices/${opened.client.uid}`, undefined],
        ['PATCH', `/trusted-devices/${opened.client.uid}`, { name: 'pwned' }],
        ['POST', '/trusted-devices/logout', undefined],
        ['POST', '/trusted-devices/revoke-all', { keep_current: true }],
        ['POST', '/trusted-devices/reauthenticate', { password: 'pw' }],
      ] as const) {
        const response = await browser.send(
          method,
          path,
          { headers, ...(json ? { json } : {}) },
          null,
        )
        expect(await problemOf(response)).toBe('403 csrf_failed')
      }
    }
    expect(await state()).toEqual(before)
    expect(opened.house.signals.events).toEqual([])
    expect((await browser.send('DELETE', `/trusted-devices/${opened.client.uid}`)).status).toBe(204)
  })

  it('is verified by the application if it has its own check', async () => {
    const asked: unknown[] = []
    const devices = opened.house.reopenWith({
      csrf: {
        verify: async (_context, token, user) => {
          asked.push([token, user?.id])
          return token === 'ours'
        },
      },
    })
    const browser = new Browser(devices)
    await browser.login()
    const logout = (token: string): Promise<Response> =>
      browser.send('POST', '/trusted-devices/logout', { headers: { 'x-csrf-token': token } }, null)
    expect(await problemOf(await logout('theirs'))).toBe('403 csrf_failed')
    expect((await logout('ours')).status).toBe(204)
    expect(asked).toEqual([
      ['theirs', '1'],
      ['ours', '1'],
    ])
  })
})
