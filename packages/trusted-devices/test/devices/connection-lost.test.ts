import { describeDatabases } from '@quillgate/database/testing/suites'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../../database/test/fixtures/tcp-proxy.ts'
import { BearerClient, problemOf } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

describe('a connection that breaks during the commit', () => {
  describeDatabases(
    (engine) => {
      // As the drivers send it; "read committed" is not it.
      const COMMIT = engine.name === 'postgres' ? 'commit\0' : '\x03commit'
      let house: House
      let proxy: TcpProxy
      let devices: TrustedDevices
      let lost: string[]
      beforeEach(async () => {
        house = await openHouse(engine)
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

      const signedIn = async (): Promise<BearerClient> => {
        const client = new BearerClient(devices)
        await client.login()
        expect((await client.send('GET', '/trusted-devices')).status).toBe(200) // Now it is remembered.
        house.signals.take()
        return client
      }

      it('loses no signal, and the device is signed out at once', async () => {
        const client = await signedIn()
        proxy.cutAfter(COMMIT)
        expect((await client.send('POST', '/trusted-devices/logout')).status).toBe(204)
        expect(house.signals.events).toMatchObject([{ signal: 'device_revoked', deviceUid: client.uid }])
        expect((await client.send('GET', '/trusted-devices')).status).toBe(401)
        expect(lost).toEqual([])
      })

      it('at a login gives the device that was registered', async () => {
        await signedIn()
        const client = new BearerClient(devices)
        proxy.cutAfter(COMMIT)
        expect((await client.login()).status).toBe(200)
        expect(house.signals.events).toMatchObject([{ signal: 'device_created', device: { uid: client.uid } }])
        expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
      })

      it('leaves no trace of a deleted user', async () => {
        await signedIn()
        proxy.cutAfter(COMMIT)
        expect(await devices.userDeleted('1')).toBe(1)
        expect(house.signals.names()).toEqual(['device_revoked'])
        expect(await house.sql.query('SELECT * FROM quillgate_device_owner')).toEqual([])
      })

      it('without a fact is commit_unknown', async () => {
        const client = await signedIn()
        proxy.cutAfter(COMMIT)
        const rename = client.send('PATCH', `/trusted-devices/${client.uid}`, { json: { name: 'new' } })
        expect(await problemOf(await rename)).toBe('503 commit_unknown')
      })

      it('of a database that stays away tells the operator what may be missing', { timeout: 30_000 }, async () => {
        const client = await signedIn()
        proxy.cutAfter(COMMIT)
        const logout = client.send('POST', '/trusted-devices/logout')
        proxy.refuse()
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(lost).toContainEqual(expect.stringContaining(`revoked ${client.uid}`))
      })
    },
    ['postgres', 'mariadb'],
  )
})
