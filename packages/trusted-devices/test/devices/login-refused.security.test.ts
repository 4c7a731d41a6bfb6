import { describeDatabases } from '@quillgate/server/testing/suites'
import { type LoginRefused, loginRefused } from '@quillgate/trusted-devices/signals'
import { recordSignals } from '@quillgate/trusted-devices/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { type House, openHouse, QUIET } from '../support/house.ts'

const PARIS = '198.51.100.7'
const REFUSED = '409 device_limit_reached'
const FULL = { maxDevices: 1, limitPolicy: 'refuse' } as const

describeDatabases((engine) => {
  describe('a login that the device limit refuses', () => {
    let house: House
    afterEach(() => house.close())

    const open = async (settings: object = {}): Promise<BearerClient> => {
      house = await openHouse(engine, { ...FULL, ...settings }, { logger: QUIET })
      const owner = new BearerClient(house.devices)
      await owner.login()
      house.signals.take()
      return owner
    }
    const thief = (): BearerClient => new BearerClient(house.devices, PARIS)

    it('publishes login_refused with the user and what the login said of itself', async () => {
      await open()
      const heard: LoginRefused[] = []
      const undo = loginRefused.connect((event) => heard.push(event))
      expect(await problemOf(await thief().login('ada', 'wrong'))).toBe('401 invalid_credentials')
      expect(heard).toEqual([])
      expect(await problemOf(await thief().login())).toBe(REFUSED)
      undo()
      expect(house.signals.names()).toEqual(['login_refused'])
      expect(heard).toMatchObject([
        {
          user: { id: '1', username: 'ada' },
          device: {
            name: 'test-client',
            city: 'Paris',
            country: 'FR',
            address: PARIS,
            userAgent: 'test-client/1.0',
          },
          reason: 'device_limit_reached',
          actor: null,
          at: new Date(house.clock()),
        },
      ])
      expect(heard[0]?.device).not.toHaveProperty('uid') // No device has it.
      expect((await house.devices.registry.list('1')).devices).toHaveLength(1)
    })

    it('publishes no more events of one user than loginRateLimit allows, from however many addresses', async () => {
      const owner = await open({ loginRateLimit: '3/minute' })
      for (let address = 1; address <= 8; address++) {
        const client = new BearerClient(house.devices, `198.51.100.${address}`)
        expect(await problemOf(await client.login())).toBe(REFUSED)
      }
      expect(house.signals.names()).toEqual(['login_refused', 'login_refused', 'login_refused'])
      expect((await owner.login()).status).toBe(200) // A known device is not refused.
      house.clock.advance(61_000)
      expect(await problemOf(await thief().login())).toBe(REFUSED)
      expect(house.signals.events).toHaveLength(4)
    })

    it('publishes login_refused however many logins of the owner succeed at the same moment', async () => {
      const owner = await open({ loginRateLimit: '3/minute' })
      const context = { request: new Request('http://localhost/login', { method: 'POST' }) }
      const options = { transport: 'bearer', deviceCredential: owner.credential ?? '' } as const
      const logins = Array.from({ length: 5 }, () =>
        house.devices.login({ id: '1' }, context, options),
      )
      const refused = house.devices.login({ id: '1' }, context, { transport: 'bearer' })
      await expect(refused).rejects.toMatchObject({ code: 'device_limit_reached' })
      await Promise.all(logins)
      expect(house.signals.names()).toContain('login_refused')
    })

    it('is an event of the outbox like any other, without a device', async () => {
      await open({ outbox: true, outboxInterval: null })
      const failing = house.reopen()
      failing.signals.loginRefused.connect(() => {
        throw new Error('no mail server')
      })
      expect(await problemOf(await new BearerClient(failing, PARIS).login())).toBe(REFUSED)
      const { entries } = await failing.outbox.list({ state: 'pending' })
      expect(entries).toMatchObject([
        { signal: 'login_refused', userId: '1', deviceUid: null, reason: 'device_limit_reached' },
      ])
      house.clock.advance(3_600_000)
      const next = house.reopen()
      const heard = recordSignals(next.signals)
      expect(await next.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
      expect(heard.events).toMatchObject([
        { signal: 'login_refused', device: { country: 'FR' }, user: { id: '1' } },
      ])
    })
  })
})
