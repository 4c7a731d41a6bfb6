import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const openWith = async (count: number, settings: TestSettings = {}): Promise<BearerClient[]> => {
    house = await openHouse(engine, settings)
    const clients = []
    for (let index = 0; index < count; index++) {
      const client = new BearerClient(house.devices)
      await client.login()
      house.clock.advance(1_000)
      clients.push(client)
    }
    house.signals.take()
    return clients
  }
  const remaining = async (userId = '1'): Promise<string[]> =>
    (await house.devices.registry.list(userId)).devices.map(({ uid }) => uid)
  const revoked = (): object[] =>
    house.signals.events.map((event) =>
      event.signal === 'device_revoked'
        ? { uid: event.deviceUid, reason: event.reason, actor: event.actor, user: event.user.id }
        : { signal: event.signal },
    )

  describe('DELETE /trusted-devices/{uid}', () => {
    it('revokes the device, publishes one signal, and rejects its tokens immediately', async () => {
      const [a, b] = await openWith(2)
      expect((await b!.send('GET', '/trusted-devices')).status).toBe(200)
      const response = await a!.send('DELETE', `/trusted-devices/${b!.uid}`)
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
      expect(revoked()).toEqual([{ uid: b!.uid, reason: 'api', actor: a!.uid, user: '1' }])
      const rejected = await b!.send('GET', '/trusted-devices')
      expect(rejected.headers.get('www-authenticate')).toContain('device_not_recognized')
      expect(await problemOf(rejected)).toBe('401 authentication_required')
      expect(await problemOf(await b!.refreshTokens())).toBe('401 device_not_recognized')
      expect(await problemOf(await a!.send('DELETE', `/trusted-devices/${b!.uid}`))).toBe(
        '404 device_not_found',
      )
      expect(house.signals.events).toHaveLength(1)
    })

    it('applies to the next request on another node', async () => {
      const [a, b] = await openWith(2)
      Object.assign(b!, { devices: house.reopen() })
      expect((await b!.send('GET', '/trusted-devices')).status).toBe(200)
      expect((await a!.send('DELETE', `/trusted-devices/${b!.uid}`)).status).toBe(204)
      expect((await b!.send('GET', '/trusted-devices')).status).toBe(401)
    })

    it('accepts upper case, and lets a device revoke itself without permission', async () => {
      const [a, b] = await openWith(2, { allowGlobalDelete: false, deleteDelay: 1000 })
      expect((await b!.send('DELETE', `/trusted-devices/${b!.uid.toUpperCase()}`)).status).toBe(204)
      expect(await remaining()).toEqual([a!.uid])
      expect(revoked()).toEqual([{ uid: b!.uid, reason: 'logout', actor: b!.uid, user: '1' }])
    })

    it('does not find the device of another user', async () => {
      const [ada] = await openWith(1)
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      house.signals.take()
      expect(await problemOf(await ada!.send('DELETE', `/trusted-devices/${grace.uid}`))).toBe(
        '404 device_not_found',
      )
      expect(house.signals.events).toEqual([])
      expect(await remaining('2')).toEqual([grace.uid])
    })

    it('checks switch, permission, age and password of the acting device, in this order', async () => {
      const [old] = await openWith(1, {
        allowGlobalDelete: false,
        defaultCanDeleteOthers: false,
        deleteDelay: 100,
        stepUpAge: 50,
      })
      house.clock.advance(100_000)
      const young = new BearerClient(house.devices)
      await young.login()
      const codeOf = async (client: BearerClient, target: string): Promise<string> =>
        problemOf(await client.send('DELETE', `/trusted-devices/${target}`))
      expect(await codeOf(young, old!.uid)).toBe('403 device_deletion_disabled')
      const devices = house.reopen({ allowGlobalDelete: true })
      for (const client of [old, young]) Object.assign(client!, { devices })
      expect(await codeOf(young, old!.uid)).toBe('403 device_lacks_delete_permission')
      await house.sql.execute(
        `UPDATE quillgate_device SET can_delete_others = ${engine.name === 'postgres' ? 'true' : 1}`,
      )
      expect(await codeOf(young, old!.uid)).toBe('403 device_session_too_recent')
      expect(await codeOf(old!, young.uid)).toBe('403 step_up_required')
      expect(
        await problemOf(
          await old!.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'no' } }),
        ),
      ).toBe('401 invalid_credentials')
      expect(await codeOf(old!, young.uid)).toBe('403 step_up_required')
      expect(
        (await old!.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } }))
          .status,
      ).toBe(204)
      expect((await old!.send('DELETE', `/trusted-devices/${young.uid}`)).status).toBe(204)
    })

    it('lets an old device revoke a new one, and not the reverse (S03)', async () => {
      const [old] = await openWith(1, { deleteDelay: 86_400 })
      house.clock.advance(86_400_000)
      const intruder = new BearerClient(house.devices, '192.0.2.44')
      await intruder.login()
      await old!.refreshTokens()
      expect(await problemOf(await intruder.send('DELETE', `/trusted-devices/${old!.uid}`))).toBe(
        '403 device_session_too_recent',
      )
      expect((await old!.send('DELETE', `/trusted-devices/${intruder.uid}`)).status).toBe(204)
    })
  })

  describe('POST /trusted-devices/logout', () => {
    it('revokes the acting device, whatever the settings', async () => {
      const [a, b] = await openWith(2, {
        allowGlobalDelete: false,
        defaultCanDeleteOthers: false,
        deleteDelay: 1000,
        stepUpAge: 0.001,
      })
      expect((await a!.send('POST', '/trusted-devices/logout')).status).toBe(204)
      expect(revoked()).toEqual([{ uid: a!.uid, reason: 'logout', actor: a!.uid, user: '1' }])
      expect(await problemOf(await a!.send('POST', '/trusted-devices/logout'))).toBe(
        '401 authentication_required',
      )
      expect(await remaining()).toEqual([b!.uid])
      expect(house.signals.events).toHaveLength(1)
    })

    it('works for an account that has been blocked', async () => {
      const [a] = await openWith(1)
      house.users.set({ id: '1', username: 'ada', password: 'pw', active: false })
      expect((await a!.send('GET', '/trusted-devices')).status).toBe(401)
      expect((await a!.send('POST', '/trusted-devices/logout')).status).toBe(204)
      expect(await remaining()).toEqual([])
    })

    it('removes the session cookie and keeps the device credential', async () => {
      await openWith(0)
      const browser = new Browser(house.devices)
      await browser.login()
      expect((await browser.send('POST', '/trusted-devices/logout')).status).toBe(204)
      expect([...browser.cookies.keys()].filter((name) => name.includes('session'))).toEqual([])
      expect([...browser.cookies.keys()].filter((name) => name.includes('device'))).toHaveLength(1)
    })
  })

  describe('POST /trusted-devices/revoke-all', () => {
    it('revokes every device including the acting one, least recently seen first', async () => {
      const [a, b, c] = await openWith(3)
      const response = await b!.send('POST', '/trusted-devices/revoke-all')
      expect(response.status).toBe(200)
      expect(await jsonOf(response)).toEqual({ revoked_count: 3 })
      // The acting device comes last, because it was seen last.
      expect(revoked()).toEqual(
        [a, c, b].map((client) => ({
          uid: client!.uid,
          reason: 'revoke_all',
          actor: b!.uid,
          user: '1',
        })),
      )
      for (const client of [a, b, c])
        expect((await client!.send('GET', '/trusted-devices')).status).toBe(401)
    })

    it('keeps the acting device with keep_current, and revokes nothing the second time', async () => {
      const [a] = await openWith(3)
      const keep = { json: { keep_current: true } }
      expect(await jsonOf(await a!.send('POST', '/trusted-devices/revoke-all', keep))).toEqual({
        revoked_count: 2,
      })
      expect(await jsonOf(await a!.send('POST', '/trusted-devices/revoke-all', keep))).toEqual({
        revoked_count: 0,
      })
      expect(await remaining()).toEqual([a!.uid])
      expect(house.signals.events).toHaveLength(2)
    })

    it.each([
      [{ allowGlobalDelete: false }, '403 device_deletion_disabled'],
      [{ defaultCanDeleteOthers: false }, '403 device_lacks_delete_permission'],
      [{ deleteDelay: 3600 }, '403 device_session_too_recent'],
      [{ stepUpAge: 1 }, '403 step_up_required'],
    ])('needs the same permissions as DELETE with %j (S04)', async (settings, problem) => {
      const [a] = await openWith(2, settings)
      house.clock.advance(60_000)
      expect(await problemOf(await a!.send('POST', '/trusted-devices/revoke-all'))).toBe(problem)
      expect(await remaining()).toHaveLength(2)
    })

    it('needs no permissions if there is no other device (S04)', async () => {
      const [a, b] = await openWith(2, { allowGlobalDelete: false })
      await b!.send('POST', '/trusted-devices/logout')
      expect((await a!.send('POST', '/trusted-devices/revoke-all')).status).toBe(200)
    })
  })

  describe('registry.revoke and registry.revokeAll', () => {
    it('check no permissions, because the application calls them', async () => {
      const [a, b, c] = await openWith(3, { allowGlobalDelete: false })
      expect(await house.devices.registry.revoke('1', a!.uid)).toBe(true)
      expect(await house.devices.registry.revoke('1', a!.uid)).toBe(false)
      expect(await house.devices.registry.revoke('2', b!.uid)).toBe(false)
      expect(await house.devices.registry.revoke('1', 'no uuid')).toBe(false)
      expect(
        await house.devices.registry.revokeAll('1', { keep: c!.uid, reason: 'password_changed' }),
      ).toBe(1)
      expect(revoked()).toEqual([
        { uid: a!.uid, reason: 'application', actor: null, user: '1' },
        { uid: b!.uid, reason: 'password_changed', actor: null, user: '1' },
      ])
    })

    it('sign out every device but the given one (S25)', async () => {
      const [a, b] = await openWith(2)
      await house.devices.registry.revokeAll('1', { keep: a!.uid, reason: 'password_changed' })
      expect((await a!.send('GET', '/trusted-devices')).status).toBe(200)
      expect((await b!.send('GET', '/trusted-devices')).status).toBe(401)
      expect((await b!.refreshTokens()).status).toBe(401)
    })
  })

  describe('users.deleted and users.deactivated', () => {
    it('revoke all devices, and pass a deleted user as { id }', async () => {
      const [a, b] = await openWith(2)
      house.users.delete('1')
      expect(await house.devices.users.deleted('1')).toBe(2)
      expect(house.signals.events).toMatchObject([
        { deviceUid: a!.uid, reason: 'user_deleted', user: { id: '1' } },
        { deviceUid: b!.uid, reason: 'user_deleted' },
      ])
      expect(await house.devices.users.deleted('1')).toBe(0)
      expect((await a!.send('GET', '/trusted-devices')).status).toBe(401)
    })

    it('let a deactivated user register devices again', async () => {
      const [a] = await openWith(1)
      expect(await house.devices.users.deactivated('1')).toBe(1)
      expect(revoked()).toEqual([
        { uid: a!.uid, reason: 'user_deactivated', actor: null, user: '1' },
      ])
      await a!.login()
      expect(await remaining()).toHaveLength(1)
    })
  })

  describe('cleanup', () => {
    it('revokes the stale devices of all users, once', async () => {
      const [a] = await openWith(1, { staleAfter: 100, lastSeenInterval: 10 })
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      house.clock.advance(200_000)
      const fresh = new BearerClient(house.devices)
      await fresh.login('grace')
      expect(house.signals.take()).toHaveLength(3)

      const dry = await house.devices.registry.cleanup({ dryRun: true })
      expect(dry).toMatchObject({ revoked: 1, dryRun: true })
      expect(house.signals.events).toEqual([])
      expect(await house.devices.registry.cleanup()).toMatchObject({ revoked: 1, dryRun: false })
      expect(await house.devices.registry.cleanup()).toMatchObject({ revoked: 0 })
      expect(revoked()).toEqual([{ uid: a!.uid, reason: 'stale', actor: null, user: '1' }])
      expect(await remaining('2')).toEqual([fresh.uid])
    })

    it('accepts another age, and rejects one that would remove everything (S20)', async () => {
      await openWith(1)
      house.clock.advance(121_000)
      for (const olderThan of [0, -1, -5, 1e-9, Number.NaN, 1e13, '90' as never]) {
        await expect(house.devices.registry.cleanup({ olderThan })).rejects.toMatchObject({
          code: 'configuration_error',
          message: expect.stringContaining('olderThan'),
        })
      }
      await expect(house.devices.registry.cleanup({ olderThan: 119 })).rejects.toThrow(
        /olderThan must be at least 120 s/,
      )
      expect(await house.devices.registry.cleanup({ olderThan: 120.0001 })).toMatchObject({
        revoked: 1,
      })
    })

    it('continues after a user that fails, and reports the failure', async () => {
      await openWith(1, { staleAfter: 200 })
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      // A row with this key already exists, so the device of ada cannot be revoked.
      await house.sql.execute(
        `INSERT INTO quillgate_device_revoked (uid, user_id, name, country, countries, created_at, last_seen_at,
          can_delete_others, can_edit_others, credential_counter, may_return, revoked_at)
          SELECT uid, user_id, name, country, countries, created_at, last_seen_at, can_delete_others, can_edit_others,
          credential_counter, can_edit_others, created_at FROM quillgate_device WHERE user_id = '1'`,
      )
      house.clock.advance(300_000)
      const report = await house.devices.registry.cleanup()
      expect(report).toMatchObject({
        revoked: 1,
        failures: [{ userId: '1', error: expect.any(Error) }],
      })
      expect(await remaining('1')).toHaveLength(1)
      expect(await remaining('2')).toEqual([])
    })

    it('removes nothing when devices never become stale', async () => {
      await openWith(1, { staleAfter: null })
      house.clock.advance(1e12)
      expect(await house.devices.registry.cleanup()).toEqual({
        revoked: 0,
        reducedAddresses: 2,
        seenBefore: null,
        dryRun: false,
        failures: [],
      })
    })
  })
})
