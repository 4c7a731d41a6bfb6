import { describeDatabases } from '@quillgate/server/testing/suites'
import type { Settings } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf, problemOf } from '../support/client.ts'
import type { TestDevicesOptions } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const openWith = async (
    settings: Partial<Settings> = {},
    options: Partial<TestDevicesOptions> = {},
  ): Promise<[BearerClient, BearerClient]> => {
    house = await openHouse(engine, settings, options)
    const clients = [new BearerClient(house.devices), new BearerClient(house.devices)] as const
    for (const client of clients) await client.login()
    house.signals.take()
    return [...clients]
  }
  const patch = (client: BearerClient, uid: string, json: unknown): Promise<Response> =>
    client.send('PATCH', `/trusted-devices/${uid}`, { json })

  describe('PATCH /trusted-devices/{uid}', () => {
    it('renames a device, returns it, and changes no other column (S08)', async () => {
      let lookups = 0
      const locate = () => ({ country: ++lookups > 2 ? 'JP' : 'DE' })
      const [a, b] = await openWith({}, { locate })
      const [before] = await house.sql.query(
        `SELECT * FROM quillgate_device WHERE uid = '${b.uid}'`,
      )
      house.clock.advance(120_000)
      const response = await patch(a, b.uid, { name: '  Phone ☎ ' })
      expect(response.status).toBe(200)
      expect(await jsonOf(response)).toMatchObject({
        uid: b.uid,
        name: 'Phone ☎',
        is_current: false,
        user_id: '1',
      })
      const [after] = await house.sql.query(`SELECT * FROM quillgate_device WHERE uid = '${b.uid}'`)
      expect(after).toEqual({ ...before, name: 'Phone ☎' })
      expect(lookups).toBe(2)
      expect(house.signals.events).toEqual([])
    })

    it('changes nothing for an empty object', async () => {
      const [a, b] = await openWith()
      const response = await patch(a, b.uid, {})
      expect(response.status).toBe(200)
      expect(await jsonOf(response)).toMatchObject({ name: 'test-client', can_delete_others: true })
    })

    it('changes only the given permissions', async () => {
      const [a, b] = await openWith()
      expect(await jsonOf(await patch(a, b.uid, { can_delete_others: false }))).toMatchObject({
        name: 'test-client',
        can_delete_others: false,
        can_edit_others: true,
      })
      expect(await problemOf(await b.send('DELETE', `/trusted-devices/${a.uid}`))).toBe(
        '403 device_lacks_delete_permission',
      )
    })

    it.each([
      [{ name: 'n'.repeat(256) }, 'name'],
      [{ name: null }, 'name'],
      [{ name: ['x'] }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: '\ud800' }, 'name'],
      [{ code: 1, detail: 2, status: 3, name: 4 }, 'name'],
      [{ can_delete_others: 'true' }, 'can_delete_others'],
      [{ can_delete_others: null }, 'can_delete_others'],
      [{ can_edit_others: 1 }, 'can_edit_others'],
    ])('rejects %j', async (json, field) => {
      const [a, b] = await openWith()
      const response = await patch(a, b.uid, json)
      expect(response.status).toBe(400)
      expect(await jsonOf(response)).toMatchObject({
        code: 'invalid_request',
        status: 400,
        detail: expect.any(String),
        errors: [{ field }],
      })
      expect((await house.devices.registry.list('1')).devices.map(({ name }) => name)).toEqual([
        'test-client',
        'test-client',
      ])
    })

    it('ignores properties that cannot be changed', async () => {
      const [a, b] = await openWith()
      const response = await patch(a, b.uid, { user_id: '2', uid: a.uid, name: 'ok' })
      expect(await jsonOf(response)).toMatchObject({ uid: b.uid, user_id: '1', name: 'ok' })
      expect((await house.devices.registry.list('2')).devices).toEqual([])
    })

    it.each([[[]], ['text'], [null], [7]])('rejects the body %j', async (json) => {
      const [a, b] = await openWith()
      expect(await problemOf(await patch(a, b.uid, json))).toBe('400 invalid_request')
    })

    it('accepts a name of 255 characters and an empty name', async () => {
      const [a, b] = await openWith()
      const name = '𝒩'.repeat(255)
      expect(await jsonOf(await patch(a, b.uid, { name }))).toMatchObject({ name })
      expect(await jsonOf(await patch(a, b.uid, { name: '' }))).toMatchObject({ name: '' })
    })

    it('lets a device rename itself and drop its permissions without permission', async () => {
      const [a] = await openWith({ defaultCanEditOthers: false, editDelay: 1000, stepUpAge: 1 })
      house.clock.advance(5_000)
      expect((await patch(a, a.uid, { name: 'Mine' })).status).toBe(200)
      expect((await patch(a, a.uid, { can_delete_others: false })).status).toBe(200)
      expect(await problemOf(await patch(a, a.uid, { can_delete_others: true }))).toBe(
        '403 device_permission_escalation',
      )
      expect(await problemOf(await patch(a, a.uid, { can_edit_others: true }))).toBe(
        '403 device_permission_escalation',
      )
    })

    it('checks switch, permission, age, password and escalation, in this order', async () => {
      const [a, b] = await openWith({
        allowGlobalEdit: false,
        defaultCanEditOthers: false,
        editDelay: 100,
        stepUpAge: 50,
      })
      const off = engine.name === 'postgres' ? 'false' : '0'
      const on = engine.name === 'postgres' ? 'true' : '1'
      const codeOf = async (): Promise<string> =>
        problemOf(await patch(a, b.uid, { can_delete_others: true }))
      await house.sql.execute(`UPDATE quillgate_device SET can_delete_others = ${off}`)
      expect(await codeOf()).toBe('403 device_editing_disabled')
      expect(await problemOf(await patch(a, a.uid, { name: 'x' }))).toBe(
        '403 device_editing_disabled',
      )
      Object.assign(a, { devices: house.reopen({ allowGlobalEdit: true }) })
      expect(await codeOf()).toBe('403 device_lacks_edit_permission')
      await house.sql.execute(`UPDATE quillgate_device SET can_edit_others = ${on}`)
      expect(await codeOf()).toBe('403 device_session_too_recent')
      house.clock.advance(100_000)
      expect(await codeOf()).toBe('403 step_up_required')
      await a.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } })
      expect(await codeOf()).toBe('403 device_permission_escalation')
      expect((await patch(a, b.uid, { can_delete_others: false })).status).toBe(200)
    })

    it('changes the permissions of another device only if the acting device may revoke it', async () => {
      const [old] = await openWith({ deleteDelay: 100, stepUpAge: 150 })
      house.clock.advance(120_000)
      const fresh = new BearerClient(house.devices)
      await fresh.login()
      await old.refreshTokens()
      for (const rights of [{ can_delete_others: false }, { can_edit_others: false }]) {
        expect(await problemOf(await patch(fresh, old.uid, rights))).toBe(
          '403 device_session_too_recent',
        )
      }
      const unchanged = { name: 'renamed', can_delete_others: true, can_edit_others: true }
      expect((await patch(fresh, old.uid, unchanged)).status).toBe(200)
      expect((await patch(old, fresh.uid, { can_edit_others: false })).status).toBe(200)
      expect((await patch(fresh, fresh.uid, { can_delete_others: false })).status).toBe(200)
      expect((await patch(old, old.uid, { can_delete_others: false })).status).toBe(200)
      expect(await problemOf(await patch(old, fresh.uid, { can_edit_others: true }))).toBe(
        '403 device_lacks_delete_permission',
      )
    })

    it('does not find unknown devices or devices of other users', async () => {
      const [a] = await openWith()
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      expect(await problemOf(await patch(a, grace.uid, { name: 'x' }))).toBe('404 device_not_found')
      expect(
        await problemOf(await patch(a, '01900000-0000-7000-8000-000000000000', { name: 'x' })),
      ).toBe('404 device_not_found')
      expect(await problemOf(await patch(a, 'nonsense', { name: 'x' }))).toBe('400 invalid_uid')
    })
  })
})
