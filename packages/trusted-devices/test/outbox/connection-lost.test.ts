import { describeDatabases } from '@quillgate/database/testing/suites'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../../database/test/fixtures/tcp-proxy.ts'
import { BearerClient, problemOf } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const SETTINGS = { outbox: true, outboxInterval: null } as const

describe('a connection that breaks during the commit, with the outbox', () => {
  describeDatabases(
    (engine) => {
      const COMMIT = engine.name === 'postgres' ? 'commit\0' : '\x03commit'
      let house: House
      let proxy: TcpProxy
      let devices: TrustedDevices
      let lost: string[]
      beforeEach(async () => {
        house = await openHouse(engine, SETTINGS)
        const url = new URL(house.url)
        proxy = await startTcpProxy(Number(url.port))
        url.port = String(proxy.port)
        lost = []
        devices = house.reopenWith({
          database: url.href,
          logger: { warn: () => {}, error: (message) => void lost.push(message) },
        })
        await devices.ready()
      })
      afterEach(async () => {
        await devices.close()
        await proxy.close()
        await house.close()
      })

      it('loses no signal: the row says that it was made', async () => {
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        proxy.cutAfter(COMMIT)
        expect((await client.send('POST', '/trusted-devices/logout')).status).toBe(204)
        expect(house.signals.events).toMatchObject([{ signal: 'device_revoked', deviceUid: client.uid }])
        expect(lost).toEqual([])
      })

      it('asks the devices when nobody wants the event, so that a login that was made is answered', async () => {
        house.signals.stop()
        const url = new URL(house.url)
        url.port = String(proxy.port)
        const webhook = { url: 'http://127.0.0.1:9/', secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }
        const picky = house.reopenWith({
          database: url.href,
          webhooks: [{ ...webhook, events: ['device_revoked'] }],
          logger: { warn: () => {}, error: () => {} },
        })
        await picky.ready()
        proxy.cutAfter(COMMIT)
        expect((await new BearerClient(picky).login()).status).toBe(200)
        expect((await house.devices.list('1')).devices).toHaveLength(1)
      })

      it('of a database that stays away loses none either: another process tells it', { timeout: 30_000 }, async () => {
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        proxy.cutAfter(COMMIT)
        const logout = client.send('POST', '/trusted-devices/logout')
        proxy.refuse()
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(lost.filter((message) => message.includes('signals are missing'))).toEqual([])
        house.clock.advance(3_600_000)
        expect(await house.devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
        expect(house.signals.events).toMatchObject([{ signal: 'device_revoked', deviceUid: client.uid }])
      })
    },
    ['postgres', 'mariadb'],
  )
})
