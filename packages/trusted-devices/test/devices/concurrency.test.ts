import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const ROUNDS = 5

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const openWith = async (count: number, settings: TestSettings = {}): Promise<BearerClient[]> => {
    house = await openHouse(engine, settings)
    return signIn(count)
  }
  const signIn = async (count: number): Promise<BearerClient[]> => {
    const clients = Array.from({ length: count }, () => new BearerClient(house.devices))
    for (const client of clients) await client.login()
    house.signals.take()
    return clients
  }
  const count = async (): Promise<number> =>
    (await house.devices.registry.list('1', { limit: 100 })).devices.length
  const revokedUids = (): string[] =>
    house.signals.events.flatMap((event) =>
      event.signal === 'device_revoked' ? [event.deviceUid] : [],
    )
  const together = async (...calls: Promise<Response>[]): Promise<number[]> =>
    (await Promise.all(calls)).map(({ status }) => status)

  describe('parallel requests', () => {
    it('keep the device limit and publish each eviction once for twelve logins', async () => {
      await openWith(0, { maxDevices: 3 })
      const clients = Array.from({ length: 12 }, () => new BearerClient(house.devices))
      expect(await together(...clients.map((client) => client.login()))).toEqual(
        clients.map(() => 200),
      )
      expect(await count()).toBe(3)
      expect(house.signals.names().filter((name) => name === 'device_created')).toHaveLength(12)
      expect(revokedUids()).toHaveLength(9)
      expect(new Set(revokedUids()).size).toBe(9)
    })

    it('keep the device limit on two nodes', async () => {
      await openWith(0, { maxDevices: 2 })
      const other = house.reopen()
      const clients = Array.from(
        { length: 8 },
        (_, index) => new BearerClient(index % 2 ? other : house.devices),
      )
      expect(await together(...clients.map((client) => client.login()))).toEqual(
        clients.map(() => 200),
      )
      expect(await count()).toBe(2)
      expect(new Set(revokedUids()).size).toBe(6)
    })

    it('publish one suspicious_login for first logins from two countries', async () => {
      await openWith(0)
      for (let round = 0; round < ROUNDS; round++) {
        house.signals.take()
        await together(
          new BearerClient(house.devices, '203.0.113.10').login(),
          new BearerClient(house.devices, '192.0.2.44').login(),
        )
        expect(house.signals.names().filter((name) => name === 'suspicious_login')).toHaveLength(1)
        await house.devices.registry.revokeAll('1')
      }
    })

    it('publish one signal for several logouts of one device', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const [a] = round === 0 ? await openWith(1) : await signIn(1)
        const logout = (): Promise<Response> => a!.send('POST', '/trusted-devices/logout')
        expect((await together(logout(), logout(), logout())).sort()).toEqual([204, 401, 401])
        expect(revokedUids()).toEqual([a!.uid])
      }
    })

    it('let one of two devices win when each revokes all others', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const clients = round === 0 ? await openWith(3) : await signIn(3)
        const [a, b] = clients
        const keep = { json: { keep_current: true } }
        const statuses = await together(
          a!.send('POST', '/trusted-devices/revoke-all', keep),
          b!.send('POST', '/trusted-devices/revoke-all', keep),
        )
        expect(statuses.sort()).toEqual([200, 401])
        expect(await count()).toBe(1)
        expect(new Set(revokedUids()).size).toBe(2)
        expect(revokedUids()).toHaveLength(2)
        await house.devices.registry.revokeAll('1')
      }
    })

    it('publish each device once for two revoke-alls on two nodes', async () => {
      const clients = await openWith(6)
      const [a, b] = clients
      Object.assign(b!, { devices: house.reopen() })
      const statuses = await together(
        a!.send('POST', '/trusted-devices/revoke-all'),
        b!.send('POST', '/trusted-devices/revoke-all'),
      )
      expect(statuses.sort()).toEqual([200, 401])
      expect(revokedUids().sort()).toEqual(clients.map(({ uid }) => uid).sort())
    })

    it('do not restore a device that is deleted during an edit (S11)', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = round === 0 ? await openWith(2) : await signIn(2)
        const [edited, deleted] = await together(
          a!.send('PATCH', `/trusted-devices/${b!.uid}`, { json: { name: 'x' } }),
          a!.send('DELETE', `/trusted-devices/${b!.uid}`),
        )
        expect([200, 404]).toContain(edited)
        expect(deleted).toBe(204)
        expect((await b!.send('GET', '/trusted-devices')).status).toBe(401)
        expect(house.signals.names()).toEqual(['device_revoked'])
        await house.devices.registry.revokeAll('1')
      }
    })

    it('apply both of two edits of one device', async () => {
      const [a, b, c] = await openWith(3)
      await together(
        a!.send('PATCH', `/trusted-devices/${c!.uid}`, { json: { name: 'n' } }),
        b!.send('PATCH', `/trusted-devices/${c!.uid}`, { json: { can_delete_others: false } }),
        c!.send('GET', '/trusted-devices'),
      )
      const { devices } = await house.devices.registry.list('1')
      expect(devices.find(({ uid }) => uid === c!.uid)).toMatchObject({
        name: 'n',
        canDeleteOthers: false,
      })
    })

    it('get 200 or 401 when the device is deleted during the request (S11)', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = round === 0 ? await openWith(2, { lastSeenInterval: 0 }) : await signIn(2)
        const [listed, refreshed, deleted] = await together(
          b!.send('GET', '/trusted-devices'),
          b!.refreshTokens(),
          a!.send('DELETE', `/trusted-devices/${b!.uid}`),
        )
        expect([200, 401]).toContain(listed)
        expect([200, 401]).toContain(refreshed)
        expect(deleted).toBe(204)
        expect((await b!.send('GET', '/trusted-devices')).status).toBe(401)
        await house.devices.registry.revokeAll('1')
      }
    })

    it('get one successor for one refresh token that is used many times (S07)', async () => {
      const [a] = await openWith(1)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          a!.send('POST', '/trusted-devices/token/refresh', { json: { refresh: a!.refresh } }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      const tokens = await Promise.all(
        answers.map(async (answer) => (await jsonOf(answer))['refresh']),
      )
      expect(new Set(tokens).size).toBe(1)
      expect(house.signals.events).toEqual([])
    })

    it('revoke once when two nodes detect the same replay', async () => {
      const [a] = await openWith(1, { refreshGrace: 0 })
      const thief = a!.copy()
      const elsewhere = Object.assign(a!.copy(), { devices: house.reopen() })
      await a!.refreshTokens()
      await a!.refreshTokens()
      expect(await together(thief.refreshTokens(), elsewhere.refreshTokens())).toEqual([401, 401])
      expect(house.signals.names()).toEqual(['device_revoked', 'device_compromised'])
    })

    it('keep a device that is used during a cleanup, or revoke it completely (S11)', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const [a] =
          round === 0
            ? await openWith(1, { lastSeenInterval: 0, accessTokenLifetime: 1000 })
            : await signIn(1)
        house.clock.advance(200_000)
        const [used, { revoked }] = await Promise.all([
          a!.send('GET', '/trusted-devices'),
          house.devices.registry.cleanup({ olderThan: 100 }),
        ])
        const isAlive = (await a!.send('GET', '/trusted-devices')).status === 200
        expect(isAlive).toBe(revoked === 0)
        if (used.status === 401) expect(isAlive).toBe(false)
        await house.devices.registry.revokeAll('1')
      }
    })

    it('keep one device for a browser that signs in several times', async () => {
      const [a] = await openWith(1)
      const uids = await Promise.all(
        [a!.copy(), a!.copy(), a!.copy()].map(async (client) => {
          await client.login()
          return [client.uid, client.credential]
        }),
      )
      expect(new Set(uids.map(String)).size).toBe(1)
      expect(house.signals.events).toEqual([])
      expect(await count()).toBe(1)
    })
  })
})
