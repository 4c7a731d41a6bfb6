import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const ROUNDS = 3

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  async function open(settings: TestSettings = {}): Promise<void> {
    house = await openHouse(engine, settings)
  }

  async function signIn(count: number): Promise<BearerClient[]> {
    const clients = Array.from({ length: count }, () => new BearerClient(house.devices))
    for (const client of clients) expect((await client.login()).status).toBe(200)
    house.signals.take()
    return clients
  }

  const [patch, remove] = [
    (by: BearerClient, uid: string) =>
      by.send('PATCH', `/trusted-devices/${uid}`, { json: { name: 'x' } }),
    (by: BearerClient, uid: string) => by.send('DELETE', `/trusted-devices/${uid}`),
  ]
  const revokeAll = (by: BearerClient, keep: boolean) =>
    by.send('POST', '/trusted-devices/revoke-all', { json: { keep_current: keep } })
  const statuses = async (...calls: Promise<Response>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).sort()
  const left = async () => (await house.devices.registry.list('1')).devices.map(({ uid }) => uid)
  const revoked = () =>
    house.signals
      .take()
      .flatMap((event) => (event.signal === 'device_revoked' ? [event.deviceUid] : []))

  describe('parallel requests', () => {
    it('do not restore a device that is deleted during an edit (S11)', async () => {
      await open()
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b, c] = await signIn(3)
        await statuses(patch(a!, b!.uid), remove(c!, b!.uid), patch(a!, b!.uid))
        expect(await left()).not.toContain(b!.uid)
        expect((await b!.send('GET', '/trusted-devices')).status).toBe(401)
        expect(house.signals.names()).toEqual(['device_revoked'])
      }
    })

    it('publish each device once for two logouts or two revoke-alls (S11)', async () => {
      await open()
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = await signIn(2)
        const logout = () => a!.send('POST', '/trusted-devices/logout')
        expect(await statuses(logout(), logout())).toEqual([204, 401])
        expect(revoked()).toEqual([a!.uid])
        const [c, d] = await signIn(2)
        await statuses(revokeAll(c!, false), revokeAll(c!, false), revokeAll(d!, false))
        expect(revoked().sort()).toEqual([b!.uid, c!.uid, d!.uid].sort())
      }
    })

    it('leave one device when two devices revoke all others (S11)', async () => {
      await open()
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = await signIn(3)
        expect(await statuses(revokeAll(a!, true), revokeAll(b!, true))).toEqual([200, 401])
        expect(await left()).toHaveLength(1)
        expect(revoked()).toHaveLength(2)
        await house.devices.registry.revokeAll('1')
      }
    })

    it('get 200 or 401 when a device is revoked during a request or a refresh (S11)', async () => {
      await open({ lastSeenInterval: 0 })
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = await signIn(2)
        const copy = b!.copy()
        const [used, refreshed] = await Promise.all([
          b!.send('GET', '/trusted-devices'),
          copy.refreshTokens(),
          remove(a!, b!.uid),
        ])
        expect([200, 401]).toContain(used.status)
        expect([200, 401]).toContain(refreshed.status)
        // Tokens that were issued before the revocation are invalid.
        expect((await copy.send('GET', '/trusted-devices')).status).toBe(401)
        expect((await copy.refreshTokens()).status).toBe(401)
      }
    })

    it('raise one alarm for first logins from two countries (S11)', async () => {
      await open()
      for (let round = 0; round < ROUNDS; round++) {
        const clients = ['203.0.113.10', '192.0.2.44'].map(
          (address) => new BearerClient(house.devices, address),
        )
        expect(await statuses(...clients.map((client) => client.login()))).toEqual([200, 200])
        expect(house.signals.names().filter((name) => name === 'suspicious_login')).toHaveLength(1)
        await house.devices.registry.revokeAll('1')
        house.signals.take()
      }
    })

    it('keep a device that is used during a cleanup, or revoke it with its signal (S11)', async () => {
      await open({ lastSeenInterval: 0, accessTokenLifetime: 100_000 })
      for (let round = 0; round < ROUNDS; round++) {
        const [a] = await signIn(1)
        house.clock.advance(1000_000)
        const [used, report] = await Promise.all([
          a!.send('GET', '/trusted-devices'),
          house.devices.registry.cleanup({ olderThan: 500 }),
        ])
        const isThere = (await left()).includes(a!.uid)
        expect([isThere ? 0 : 1, report.failures]).toEqual([report.revoked, []])
        expect(revoked()).toHaveLength(report.revoked)
        if (isThere) expect(used.status).toBe(200)
        await house.devices.registry.revokeAll('1')
        house.signals.take()
      }
    })

    it('all succeed as eight logins, and keep the limit (S11)', async () => {
      await open({ maxDevices: 3 })
      const clients = Array.from({ length: 8 }, () => new BearerClient(house.devices))
      expect(await statuses(...clients.map((client) => client.login()))).toEqual(
        clients.map(() => 200),
      )
      expect(await left()).toHaveLength(3)
      expect(new Set(revoked()).size).toBe(5)
    })

    it('apply both parallel edits of one device (S08)', async () => {
      await open()
      const [a, b, c] = await signIn(3)
      const path = `/trusted-devices/${c!.uid}`
      await statuses(
        a!.send('PATCH', path, { json: { name: 'n' } }),
        b!.send('PATCH', path, { json: { can_delete_others: false } }),
      )
      const device = (await house.devices.registry.list('1')).devices.find(
        ({ uid }) => uid === c!.uid,
      )
      expect(device).toMatchObject({ name: 'n', canDeleteOthers: false })
    })
  })
})
