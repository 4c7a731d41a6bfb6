import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf, problemOf } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const PARIS = '198.51.100.7'
const DAY = 86_400 // Seconds.

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  async function open(
    settings: TestSettings = {},
  ): Promise<{ owner: BearerClient; thief: BearerClient }> {
    house = await openHouse(engine, settings)
    const owner = new BearerClient(house.devices)
    await owner.login()
    const thief = new BearerClient(house.devices, PARIS)
    return { owner, thief }
  }

  async function signIn(client: BearerClient): Promise<unknown[]> {
    house.signals.take()
    expect((await client.login()).status).toBe(200)
    return house.signals.events.map((event) =>
      'returning' in event ? [event.signal, event.returning] : event.signal,
    )
  }

  const countRevokedDevices = async (): Promise<number> =>
    (await house.sql.query('SELECT uid FROM quillgate_device_revoked')).length

  describe('the credential of a revoked device', () => {
    it.each([
      [
        'by another device',
        async (owner: BearerClient, uid: string) => owner.send('DELETE', `/trusted-devices/${uid}`),
      ],
      [
        'together with all other devices',
        async (owner: BearerClient) =>
          owner.send('POST', '/trusted-devices/revoke-all', { json: { keep_current: true } }),
      ],
      [
        'by the application',
        async (_: BearerClient, uid: string) => house.devices.registry.revoke('1', uid),
      ],
      [
        'after a password change',
        async (owner: BearerClient) =>
          house.devices.registry.revokeAll('1', { keep: owner.uid, reason: 'password_changed' }),
      ],
    ])('does not suppress the next alarm: %s', async (_, revoke) => {
      const { owner, thief } = await open()
      const withAlarm = [['device_created', false], 'suspicious_login']
      expect(await signIn(thief)).toEqual(withAlarm)
      await revoke(owner, thief.uid)
      expect(await signIn(thief)).toEqual(withAlarm)
    })

    it('does not suppress the next alarm after its refresh token was reused', async () => {
      const { thief } = await open()
      await thief.login()
      const copy = thief.copy()
      await thief.refreshTokens()
      await thief.refreshTokens()
      expect(await problemOf(await copy.refreshTokens())).toBe('401 token_reused')
      expect(await signIn(thief)).toEqual([['device_created', false], 'suspicious_login'])
    })

    it('is trusted once: an earlier credential is rejected after a later revocation', async () => {
      const { owner, thief } = await open()
      await thief.login()
      const before = thief.copy()
      await thief.send('POST', '/trusted-devices/logout')
      expect(await signIn(thief)).toEqual([['device_created', true]])
      await owner.send('DELETE', `/trusted-devices/${thief.uid}`)
      expect(await signIn(before)).toEqual([['device_created', false], 'suspicious_login'])
    })

    it('raises an alarm if it is outdated, as for a registered device', async () => {
      const { owner, thief } = await open()
      const old = owner.credential
      const { uid } = owner
      for (let count = 0; count < 3; count++) await owner.login()
      await new BearerClient(house.devices, '203.0.113.20').login()
      await owner.send('POST', '/trusted-devices/logout')
      thief.credential = old
      expect(await signIn(thief)).toEqual([
        ['device_created', false],
        'suspicious_login',
        'device_compromised',
      ])
      expect(house.signals.events.at(-1)).toMatchObject({
        deviceUid: uid,
        device: { uid, userId: '1', country: 'DE', name: expect.any(String) },
        reason: 'device_credential_reused',
        actor: thief.uid,
      })
    })

    it('is marked as returning after its device became stale or was evicted', async () => {
      const { owner, thief: traveller } = await open({ maxDevices: 1, staleAfter: 100 * DAY })
      await traveller.login()
      expect(await signIn(owner)).toEqual(['device_revoked', ['device_created', true]])
      house.clock.advance(101 * DAY * 1000)
      const third = new BearerClient(house.devices)
      await third.login()
      expect(await signIn(owner)).toEqual(['device_revoked', ['device_created', true]])
    })
  })

  describe('the permissions of a device', () => {
    it('are not regained by signing out and in again', async () => {
      const { owner, thief } = await open()
      await thief.login()
      const stripped = { can_delete_others: false, can_edit_others: false }
      await owner.send('PATCH', `/trusted-devices/${thief.uid}`, { json: stripped })
      const before = thief.copy()
      for (const client of [thief, before]) {
        await client.send('POST', '/trusted-devices/logout')
        await client.login()
        const { devices } = await jsonOf(await client.send('GET', '/trusted-devices'))
        expect(devices).toContainEqual(
          expect.objectContaining({ ...stripped, uid: client.uid, is_current: true }),
        )
      }
      expect(before.uid).not.toBe(thief.uid)
    })

    it('are restored after logout, but not after a revocation', async () => {
      const { owner } = await open()
      const strict = house.reopen({ defaultCanDeleteOthers: false })
      const client = Object.assign(owner.copy(), { devices: strict })
      await client.send('POST', '/trusted-devices/logout')
      await client.login()
      const canDelete = async (): Promise<unknown> =>
        (await strict.registry.list('1')).devices.find(({ uid }) => uid === client.uid)
          ?.canDeleteOthers
      expect(await canDelete()).toBe(true)
      await strict.registry.revoke('1', client.uid)
      await client.login()
      expect(await canDelete()).toBe(false)
    })
  })

  describe('the record of revoked devices', () => {
    it('is deleted after 400 days, by a login and by cleanup', async () => {
      const { owner, thief } = await open({ staleAfter: null })
      await thief.login()
      await thief.send('POST', '/trusted-devices/logout')
      house.clock.advance(400 * DAY * 1000)
      await owner.login()
      expect(await countRevokedDevices()).toBe(1)
      house.clock.advance(1_000)
      await house.devices.registry.cleanup({ dryRun: true, olderThan: 1000 * DAY })
      expect(await countRevokedDevices()).toBe(1)
      await owner.login()
      expect(await countRevokedDevices()).toBe(0)

      await owner.send('POST', '/trusted-devices/logout')
      house.clock.advance(401 * DAY * 1000)
      await house.devices.registry.cleanup()
      expect(await countRevokedDevices()).toBe(0)
    })

    it('is erased with its user', async () => {
      const { owner } = await open()
      await owner.send('POST', '/trusted-devices/logout')
      await owner.login()
      expect(await countRevokedDevices()).toBe(1)
      await house.devices.users.deleted('1')
      expect(await countRevokedDevices()).toBe(0)
    })
  })
})
