import { describeDatabases } from '@quillgate/server/testing/suites'
import type { OwnSession, RequestContext } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import type { TestDevices, TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400_000
const TOKYO = '192.0.2.44'

/** A browser with a session of the application that began before devices were used. */
class SessionBrowser extends Browser {
  session: OwnSession | null = null

  begin(sessionId: string, userId = '1'): this {
    this.session = { userId, deviceUid: undefined, sessionId }
    return this
  }

  override context(path: string, method = 'GET') {
    return { ...super.context(path, method), native: this }
  }

  async adopt(devices = this.devices) {
    const { userId, sessionId = '' } = this.session ?? { userId: '' }
    const adopted = await devices.adopt({ id: String(userId) }, this.context('/'), { sessionId })
    if (adopted) {
      this.session = { userId, sessionId, deviceUid: adopted.device.uid }
      this.keep(adopted.headers)
    }
    return adopted
  }
}

const session = ({ native }: RequestContext) =>
  (native as SessionBrowser | undefined)?.session ?? null

describeDatabases((engine) => {
  let house: House
  let devices: TestDevices
  afterEach(() => house.close())
  const open = async (settings: TestSettings = {}) => {
    house = await openHouse(engine, settings, { session })
    devices = house.devices
  }
  const count = async () => (await devices.registry.list('1', { limit: 100 })).devices.length
  const signalNames = () => house.signals.take().map(({ signal }) => signal)

  describe('adopt', () => {
    it('registers a device, and publishes only device_created, with its own reason', async () => {
      await open()
      await new Browser(devices).login()
      house.signals.take()
      const browser = new SessionBrowser(devices, { address: TOKYO }).begin('old')
      expect(await browser.visit()).toBeNull()
      const adopted = await browser.adopt()
      expect(await browser.visit()).toMatchObject({
        user: { id: '1' },
        device: { uid: adopted?.device.uid },
      })
      expect(house.signals.events).toMatchObject([
        {
          signal: 'device_created',
          reason: 'adopted',
          returning: false,
          suspicious: false,
          user: { id: '1' },
        },
      ])
    })

    it('gives a session one device for parallel requests on several nodes', async () => {
      await open()
      const other = house.reopenWith({ session })
      const browser = new SessionBrowser(devices).begin('old')
      const asked = Array.from({ length: 4 }, () => [
        browser.adopt(devices),
        browser.adopt(other),
      ]).flat()
      const adopted = await Promise.all(asked)
      expect(new Set(adopted.map((each) => each?.device.uid)).size).toBe(1)
      // The credential is the same in all responses, so that no response replaces another
      // credential.
      const credential = (cookie: string): string | undefined => /=([^.]+)\./.exec(cookie)?.[1]
      expect(
        new Set(adopted.flatMap((each) => each?.headers.getSetCookie().map(credential))).size,
      ).toBe(1)
      expect(await count()).toBe(1)
      expect(signalNames()).toEqual(['device_created'])
    })

    it('gives each session and each user a separate device', async () => {
      await open()
      const [a, b] = [
        new SessionBrowser(devices).begin('a'),
        new SessionBrowser(devices).begin('A'),
      ]
      const other = new SessionBrowser(devices).begin('a', '2')
      for (const browser of [a, b, other]) await browser.adopt()
      expect(await count()).toBe(2)
      expect(new Set([a, b, other].map((browser) => browser.session?.deviceUid)).size).toBe(3)
    })

    it('evicts no device', async () => {
      await open({ maxDevices: 2 })
      const browsers = ['a', 'b', 'c', 'd'].map((id) => new SessionBrowser(devices).begin(id))
      for (const browser of browsers) {
        house.clock.advance(1000)
        await browser.adopt()
      }
      expect(
        await Promise.all(browsers.map(async (browser) => (await browser.visit()) !== null)),
      ).not.toContain(false)
      house.clock.advance(1000)
      await new Browser(devices).login()
      expect(await count()).toBe(2) // Adopted devices count at the next login.
    })

    const ends: Record<string, (uid: string, browser: SessionBrowser) => Promise<unknown>> = {
      revoke: (uid) => devices.registry.revoke('1', uid),
      revokeAll: () => devices.registry.revokeAll('1'),
      logout: (_, browser) => devices.logout(browser.context('/logout', 'POST')),
      'a device that is stale': async () => {
        house.clock.advance(91 * DAY)
        await devices.registry.cleanup()
      },
    }
    it.each(Object.keys(ends))(
      'returns null after %s, even if the session has lost its device',
      async (way) => {
        await open()
        const browser = new SessionBrowser(devices).begin('old-session')
        const adopted = await browser.adopt()
        await ends[way]?.(adopted?.device.uid ?? '', browser)
        house.signals.take()
        browser.begin('old-session') // Simulates a store that has lost the uid.
        expect(await browser.adopt()).toBeNull()
        expect([await count(), signalNames()]).toEqual([0, []])
        const rows = await house.sql.query('SELECT * FROM quillgate_device_revoked')
        expect([rows.length, JSON.stringify(rows).includes('old-session')]).toEqual([1, false])
      },
    )

    it('distinguishes session ids by case, accents and trailing spaces', async () => {
      await open()
      const ids = ['old', 'OLD', 'old ', 'öld']
      for (const id of ids) await new SessionBrowser(devices).begin(id).adopt()
      expect(await count()).toBe(ids.length)
      for (const id of ids) await new SessionBrowser(devices).begin(id).adopt()
      expect(await count()).toBe(ids.length)
    })

    it('returns null for an inactive account', async () => {
      await open()
      house.users.set({ id: '1', username: 'ada', password: 'pw', active: false })
      expect(await new SessionBrowser(devices).begin('old').adopt()).toBeNull()
      expect(await count()).toBe(0)
    })

    it('recognizes a browser by its device credential, and does not count as a password check', async () => {
      await open()
      const browser = new SessionBrowser(devices)
      const login = await devices.login({ id: '1' }, browser.context('/'), {
        transport: 'session',
        sessionId: 'first',
      })
      browser.keep(login.headers)
      house.clock.advance(400_000)
      const adopted = await browser.begin('second').adopt()
      expect(adopted?.device.uid).toBe(login.device.uid)
      expect(signalNames()).toEqual(['device_created'])
      const asked = devices.requireTrusted(browser.context('/'), { maxProofAge: 300 })
      await expect(asked).rejects.toMatchObject({ code: 'step_up_required' })
    })

    it.each([null, 10 * 86_400])(
      'does not count as a recent password check, with maxSessionAge %j',
      async (maxSessionAge) => {
        await open({ maxSessionAge })
        const browser = new SessionBrowser(devices).begin('old')
        await browser.adopt()
        for (const maxProofAge of [1, 5 * 86_400, 20 * 86_400, 100 * 365 * 86_400]) {
          const asked = devices.requireTrusted(browser.context('/'), { maxProofAge })
          await expect(asked).rejects.toMatchObject({ code: 'step_up_required' })
        }
      },
    )

    it('starts the period of maxSessionAge', async () => {
      await open({ maxSessionAge: 10 * 86_400 })
      const browser = new SessionBrowser(devices).begin('old')
      await browser.adopt()
      house.clock.advance(10 * DAY - 1000)
      expect(await browser.visit()).not.toBeNull()
      house.clock.advance(2000)
      expect(await browser.visit()).toBeNull()
    })

    it('publishes device_compromised for an outdated device credential, as login does', async () => {
      await open()
      const browser = new Browser(devices)
      await browser.login()
      const copied = new Map(browser.cookies)
      const { uid } = (await devices.registry.list('1')).devices[0] ?? {}
      for (let count = 0; count < 2; count++) await browser.login()
      house.signals.take()
      const thief = Object.assign(new SessionBrowser(devices), { cookies: copied }).begin('old')
      await thief.adopt()
      expect(house.signals.events).toMatchObject([
        { signal: 'device_created', reason: 'adopted' },
        { signal: 'device_compromised', deviceUid: uid, reason: 'device_credential_reused' },
      ])
    })

    it.each([null, 600])(
      'is exported without a time of the password, with maxSessionAge %j',
      async (maxSessionAge) => {
        await open({ maxSessionAge })
        await new SessionBrowser(devices).begin('old').adopt()
        expect((await devices.users.export('1')).data).toMatchObject({
          devices: [{ proved_at: null }],
        })
      },
    )

    it('writes its event to the outbox', async () => {
      await open({ outbox: true })
      await new SessionBrowser(devices).begin('old').adopt()
      await devices.outbox.deliver()
      expect(house.signals.events).toMatchObject([{ signal: 'device_created', reason: 'adopted' }])
    })

    it('requires a session id and the option session', async () => {
      await open()
      const context = new Browser(devices).context('/')
      const wrong = [undefined, {}, { sessionId: '' }, { sessionID: 'x' }]
      for (const options of wrong) {
        const adopted = devices.adopt({ id: '1' }, context, options as { sessionId: string })
        await expect(adopted).rejects.toMatchObject({ code: 'configuration_error' })
      }
      await expect(devices.adopt({ id: 1 } as never, context, { sessionId: 'x' })).rejects.toThrow(
        /parseId/,
      )
      expect(await count()).toBe(0)
    })
  })
})
