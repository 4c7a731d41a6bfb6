import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf, problemOf } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const HOUR = 3_600_000

describeDatabases((engine) => {
  describe('every way to revoke other devices', () => {
    let house: House
    afterEach(() => house.close())

    async function open(settings: TestSettings) {
      house = await openHouse(engine, settings)
      const owner = new BearerClient(house.devices, '203.0.113.10')
      await owner.login()
      house.clock.advance(24 * HOUR)
      const intruder = new BearerClient(house.devices, '203.0.113.20')
      await intruder.login()
      await owner.refreshTokens()
      return { owner, intruder }
    }

    /** Sends all requests that could revoke or restrict `target`. */
    async function tryAll(actor: BearerClient, target: BearerClient): Promise<string[]> {
      const device = `/trusted-devices/${target.uid}`
      return [
        await problemOf(await actor.send('DELETE', device)),
        await problemOf(await actor.send('POST', '/trusted-devices/revoke-all')),
        await problemOf(
          await actor.send('POST', '/trusted-devices/revoke-all', { json: { keep_current: true } }),
        ),
        await problemOf(await actor.send('PATCH', device, { json: { can_edit_others: false } })),
      ]
    }

    const isAlive = async (client: BearerClient): Promise<boolean> =>
      (await client.send('GET', '/trusted-devices')).status === 200

    it('applies the delay to the intruder, not to the owner (S03)', async () => {
      const { owner, intruder } = await open({ deleteDelay: 12 * 3600 })
      expect(new Set(await tryAll(intruder, owner))).toEqual(
        new Set(['403 device_session_too_recent']),
      )
      expect(await isAlive(owner)).toBe(true)
      expect((await owner.send('DELETE', `/trusted-devices/${intruder.uid}`)).status).toBe(204)
      expect(await isAlive(intruder)).toBe(false)
    })

    it.each([
      [{ allowGlobalDelete: false }, '403 device_deletion_disabled'],
      [{ defaultCanDeleteOthers: false }, '403 device_lacks_delete_permission'],
      [{ stepUpAge: 60 }, '403 step_up_required'],
    ])('applies %j to DELETE, revoke-all and PATCH (S04)', async (settings, code) => {
      const { owner, intruder } = await open(settings)
      house.clock.advance(120_000)
      const [del, all, allOthers, patch] = await tryAll(intruder, owner)
      expect([del, all, allOthers]).toEqual([code, code, code])
      if (!('allowGlobalDelete' in settings)) expect(patch).toBe(code)
      expect(await isAlive(owner)).toBe(true)
      // A device can always sign itself out, with `DELETE` or with the logout endpoint.
      expect((await intruder.send('DELETE', `/trusted-devices/${intruder.uid}`)).status).toBe(204)
      expect((await owner.send('POST', '/trusted-devices/logout')).status).toBe(204)
    })

    it('can end any or all sessions after the password is entered again (ASVS 7.5.2)', async () => {
      const { owner, intruder } = await open({ stepUpAge: 60 })
      expect((await tryAll(owner, intruder)).slice(0, 2)).toEqual([
        '403 step_up_required',
        '403 step_up_required',
      ])
      const proof = await owner.send('POST', '/trusted-devices/reauthenticate', {
        json: { password: 'pw' },
      })
      expect(proof.status).toBe(204)
      const ended = await owner.send('POST', '/trusted-devices/revoke-all', {
        json: { keep_current: true },
      })
      expect(await jsonOf(ended)).toEqual({ revoked_count: 1 })
      expect([await isAlive(owner), await isAlive(intruder)]).toEqual([true, false])
    })

    it('accepts permissions only from another device or from the application', async () => {
      const { owner } = await open({})
      const stranger = new BearerClient(house.devices, '192.0.2.44')
      await stranger.login()
      await house.devices.registry.edit('1', stranger.uid, {
        canDeleteOthers: false,
        canEditOthers: false,
      })
      const rights = { can_delete_others: true, can_edit_others: true }
      const self = await stranger.send('PATCH', `/trusted-devices/${stranger.uid}`, {
        json: rights,
      })
      expect(await problemOf(self)).toBe('403 device_permission_escalation')
      expect(
        (await owner.send('PATCH', `/trusted-devices/${stranger.uid}`, { json: rights })).status,
      ).toBe(200)
      await house.devices.registry.edit('1', stranger.uid, { canDeleteOthers: false })
      expect(
        (await house.devices.registry.list('1')).devices.find(({ uid }) => uid === stranger.uid),
      ).toMatchObject({
        canDeleteOthers: false,
        canEditOthers: true,
      })
      expect(
        await house.devices.registry.edit('2', stranger.uid, { canDeleteOthers: true }),
      ).toBeNull()
    })

    it('ends every other session after a password change, and distrusts their credentials (S25)', async () => {
      const { owner, intruder } = await open({})
      house.signals.take()
      expect(
        await house.devices.registry.revokeAll('1', {
          keep: owner.uid,
          reason: 'password_changed',
        }),
      ).toBe(1)
      expect(house.signals.take()).toMatchObject([
        {
          signal: 'device_revoked',
          deviceUid: intruder.uid,
          reason: 'password_changed',
          actor: null,
        },
      ])
      expect([await isAlive(owner), await isAlive(intruder)]).toEqual([true, false])
      expect(await problemOf(await intruder.refreshTokens())).toBe('401 device_not_recognized')
      const verify = await intruder.send('POST', '/trusted-devices/token/verify', {
        json: { token: intruder.access },
      })
      expect(await problemOf(verify)).toBe('401 device_not_recognized')
      expect((await owner.refreshTokens()).status).toBe(200)
      await intruder.login()
      expect(house.signals.take()).toMatchObject([{ signal: 'device_created', returning: false }])
    })
  })
})
