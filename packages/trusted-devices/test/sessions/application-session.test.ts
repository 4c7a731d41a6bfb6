import { describeDatabases } from '@quillgate/server/testing/suites'
import type { OwnSession, RequestContext } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse, QUIET } from '../support/house.ts'

/** The sessions of an application, by the id in its cookie. */
const sessions = new Map<string, OwnSession>()

const session = ({ request }: RequestContext): OwnSession | null =>
  sessions.get(/app_session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '') ?? null

class AppBrowser extends Browser {
  async enter(id: string, userId = '1') {
    const user = { id: userId }
    const login = await this.devices.login(user, this.context('/login', 'POST'), {
      transport: 'session',
      sessionId: id,
    })
    this.keep(login.headers)
    this.hold(id, login.device.uid, userId)
    return login
  }

  hold(id: string, deviceUid: string, userId = '1'): void {
    sessions.set(id, { userId, deviceUid, sessionId: id })
    this.cookies.set('app_session', id)
  }
}

describeDatabases((engine) => {
  describe('sessions of the application', () => {
    let house: House
    let devices: TestDevices
    const ended: (string | null)[] = []
    beforeEach(async () => {
      sessions.clear()
      ended.length = 0
      house = await openHouse(engine, {}, { session })
      devices = house.devices
      devices.signals.deviceRevoked.connect(({ sessionId }) => void ended.push(sessionId))
    })
    afterEach(() => house.close())

    it('identify the device without a session cookie of Quillgate', async () => {
      const browser = new AppBrowser(devices)
      const { device, tokens, headers } = await browser.enter('s-1')
      expect(tokens).toBeUndefined()
      expect(headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual([
        'quillgate_device',
        'quillgate_csrf',
      ])
      expect(await browser.visit()).toMatchObject({
        user: { id: '1' },
        device: { uid: device.uid },
      })
      expect((await browser.enter('s-2')).returning).toBe(true)
      expect(await browser.visit()).toMatchObject({ device: { uid: device.uid } })
    })

    it('identify the device at every endpoint, with the CSRF token', async () => {
      const laptop = new AppBrowser(devices)
      const phone = new AppBrowser(devices)
      await laptop.enter('laptop')
      const { device } = await phone.enter('phone')
      const page = await jsonOf(await laptop.send('GET', '/trusted-devices'))
      expect(JSON.stringify(page)).not.toContain('phone')
      const path = `/trusted-devices/${device.uid}`
      expect(await problemOf(await laptop.send('DELETE', path, {}, null))).toBe('403 csrf_failed')
      expect((await laptop.send('DELETE', path)).status).toBe(204)
      expect(ended).toEqual(['phone'])
      expect(await phone.visit()).toBeNull()
      expect((await laptop.send('POST', '/trusted-devices/logout')).status).toBe(204)
      expect(ended).toEqual(['phone', 'laptop'])
      expect(await problemOf(await laptop.send('GET', '/trusted-devices'))).toBe(
        '401 authentication_required',
      )
    })

    it('are passed to receivers for each way to end a device', async () => {
      const browser = new AppBrowser(devices)
      const { device } = await browser.enter('one')
      await devices.registry.revoke('1', device.uid)
      await browser.enter('two')
      await devices.registry.revokeAll('1')
      await browser.enter('three')
      await devices.users.deactivated('1')
      await browser.enter('four')
      await devices.logout(browser.context('/logout', 'POST'))
      await browser.enter('five')
      house.clock.advance(91 * 86_400_000)
      await devices.registry.cleanup()
      await browser.enter('six')
      await devices.users.deleted('1')
      const plain = new Browser(devices)
      await plain.login()
      await devices.registry.revokeAll('1')
      expect(ended).toEqual(['one', 'two', 'three', 'four', 'five', 'six', null])
    })

    it('end when a newer session of the device begins', async () => {
      const browser = new AppBrowser(devices)
      await browser.enter('old')
      const thief = browser.copy()
      expect(await thief.visit()).not.toBeNull()
      await browser.enter('new')
      expect(await thief.visit()).toBeNull()
      expect(await browser.visit()).not.toBeNull()
    })

    it('survive a regenerated id, even on a node that caches the device', async () => {
      const browser = new AppBrowser(devices)
      const { device } = await browser.enter('before')
      const other = house.reopenWith({ session })
      expect(await other.authenticate(browser.context('/'))).not.toBeNull()
      browser.hold('after', device.uid)
      expect(await browser.visit()).toBeNull()
      expect(await devices.updateSession(device, 'after')).toBe(true)
      expect(await browser.visit()).not.toBeNull()
      expect(await other.authenticate(browser.context('/'))).not.toBeNull()
      await devices.registry.revoke('1', device.uid)
      expect(ended).toEqual(['after'])
      expect(await devices.updateSession(device, 'later')).toBe(false)
    })

    it('are rejected for another user, another device or an earlier session', async () => {
      const browser = new AppBrowser(devices)
      const { device } = await browser.enter('mine')
      for (const wrong of [
        { userId: '2', deviceUid: device.uid, sessionId: 'mine' },
        { userId: '1', deviceUid: crypto.randomUUID(), sessionId: 'mine' },
        { userId: '1', deviceUid: 'nonsense', sessionId: 'mine' },
        { userId: '1', deviceUid: undefined, sessionId: 'mine' },
        { userId: '1', deviceUid: device.uid, sessionId: 'MINE' },
        { userId: '1', deviceUid: device.uid, sessionId: 'mine ' },
      ]) {
        sessions.set('mine', wrong)
        expect(await browser.visit()).toBeNull()
      }
    })

    it('without an id last as long as their device', async () => {
      const browser = new AppBrowser(devices)
      const login = await devices.login({ id: '1' }, browser.context('/login', 'POST'), {
        transport: 'session',
      })
      browser.keep(login.headers)
      sessions.set('plain', { userId: 1, deviceUid: login.device.uid })
      browser.cookies.set('app_session', 'plain')
      expect(await browser.visit()).toMatchObject({ device: { uid: login.device.uid } })
      await devices.registry.revoke('1', login.device.uid)
      expect(await browser.visit()).toBeNull()
      expect(ended).toEqual([null])
    })

    it('end when another user signs in in the same browser, which keeps the device known', async () => {
      const browser = new AppBrowser(devices)
      await browser.enter('ada')
      const late = browser.copy()
      await browser.enter('grace', '2')
      expect(await late.visit()).toBeNull()
      expect(await browser.visit()).toMatchObject({ user: { id: '2' } })
      expect((await browser.enter('ada-again')).returning).toBe(true)
    })

    it('yield to a bearer token or session cookie of Quillgate, which a login with a session removes', async () => {
      const browser = new AppBrowser(devices)
      await browser.login()
      expect([...browser.cookies.keys()]).toContain('quillgate_session')
      await browser.enter('s')
      expect([...browser.cookies.keys()]).not.toContain('quillgate_session')
      const client = new BearerClient(devices)
      await client.login('grace')
      const headers = { authorization: `Bearer ${client.access}` }
      const ours = await devices.authenticate({ request: browser.request('GET', '/', { headers }) })
      expect(ours).toMatchObject({ user: { id: '2' } })
      const asked = devices.authenticate({ request: browser.request('GET', '/') })
      expect(await asked).toMatchObject({ user: { id: '1' } })
    })

    it('are read with an unknown bearer token, but not with an expired one of Quillgate', async () => {
      const browser = new AppBrowser(devices)
      await browser.enter('s')
      const visitWith = (authorization: string) =>
        devices.authenticate({
          request: browser.request('GET', '/', { headers: { authorization } }),
        })
      expect(await visitWith('Bearer token-of-the-application')).toMatchObject({
        user: { id: '1' },
      })
      const client = new BearerClient(devices)
      await client.login('grace')
      house.clock.advance(3_600_000)
      expect(await visitWith(`Bearer ${client.access}`)).toBeNull()
    })

    it('have ids that reach receivers through the outbox, and nobody else', async () => {
      const other = house.reopenWith({
        session,
        settings: { outbox: true, outboxInterval: null },
        logger: QUIET,
      })
      const received: (string | null)[] = []
      other.signals.deviceRevoked.connect(({ sessionId }) => {
        received.push(sessionId)
        if (received.length === 1) throw new Error('the store is away')
      })
      const browser = new AppBrowser(other)
      const { device } = await browser.enter('very-secret-id')
      const page = await (await browser.send('GET', '/trusted-devices')).text()
      const exported = JSON.stringify(await other.users.export('1'))
      await other.registry.revoke('1', device.uid)
      house.clock.advance(3_600_000)
      await other.outbox.deliver()
      expect(received).toEqual(['very-secret-id', 'very-secret-id'])
      for (const text of [page, exported]) expect(text).not.toContain('very-secret-id')
    })

    it.each(['', 'x'.repeat(256), 'a\0b', '\ud800', 7])(
      'cannot have the id %j',
      async (sessionId) => {
        const browser = new Browser(devices)
        const context = browser.context('/login', 'POST')
        const attempt = devices.login({ id: '1' }, context, {
          transport: 'session',
          sessionId: sessionId as string,
        })
        await expect(attempt).rejects.toMatchObject({ code: 'configuration_error' })
        expect((await devices.registry.list('1')).devices).toEqual([])
      },
    )
  })
})
