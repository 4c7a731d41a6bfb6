import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const PARIS = '198.51.100.7'
const WITH_ALARM = [['device_created', false], 'suspicious_login']
const WITHOUT_ALARM = [['device_created', true]]

describeDatabases((engine) => {
  let house: House
  let owner: BearerClient
  let stranger: BearerClient
  afterEach(() => house.close())

  async function open(): Promise<void> {
    house = await openHouse(engine)
    owner = new BearerClient(house.devices)
    await owner.login()
    stranger = new BearerClient(house.devices, PARIS, 'stranger/1.0')
    await stranger.login()
    await stranger.send('POST', '/trusted-devices/logout')
  }

  async function signalsOfLogin(client: BearerClient): Promise<unknown[]> {
    house.signals.take()
    expect((await client.login()).status).toBe(200)
    return house.signals.events.map((event) =>
      'returning' in event ? [event.signal, event.returning] : event.signal,
    )
  }

  describe('a device that is revoked after it has signed out', () => {
    it.each([
      ['revoke', () => house.devices.registry.revoke('1', stranger.uid)],
      [
        'revokeAll',
        () =>
          house.devices.registry.revokeAll('1', { keep: owner.uid, reason: 'password_changed' }),
      ],
      ['revokeWhere with the user', () => house.devices.registry.revokeWhere({ userId: '1' })],
      [
        'revokeWhere with the country of the signed-out device',
        () => house.devices.registry.revokeWhere({ country: 'FR' }),
      ],
      ['users.deactivated', () => house.devices.users.deactivated('1')],
      [
        'revoke-all by the user',
        () => owner.send('POST', '/trusted-devices/revoke-all', { json: {} }),
      ],
      [
        'revoke-all with keep_current',
        () => owner.send('POST', '/trusted-devices/revoke-all', { json: { keep_current: true } }),
      ],
    ] as const)('returns as an unknown device: %s', async (_how, revoke) => {
      await open()
      await revoke()
      await owner.login()
      expect(await signalsOfLogin(stranger)).toEqual(WITH_ALARM)
      await house.devices.registry.revoke('1', stranger.uid)
      expect(await signalsOfLogin(new BearerClient(house.devices, PARIS, 'other/1.0'))).toEqual(
        WITH_ALARM,
      )
    })

    it('returns as a known device without a revocation', async () => {
      await open()
      expect(await signalsOfLogin(stranger)).toEqual(WITHOUT_ALARM)
    })

    it('leaves the devices of other users trusted', async () => {
      await open()
      const grace = new BearerClient(house.devices)
      await grace.login('grace')
      await grace.send('POST', '/trusted-devices/logout')
      await house.devices.registry.revokeAll('1')
      await house.devices.registry.revoke('1', grace.uid)
      await house.devices.registry.revokeWhere({ country: 'FR' })
      house.signals.take()
      await grace.login('grace')
      expect(house.signals.events).toMatchObject([{ signal: 'device_created', returning: true }])
    })

    it('returns as a known device if it revoked all devices or itself', async () => {
      await open()
      await owner.send('POST', '/trusted-devices/revoke-all', { json: {} })
      expect(await signalsOfLogin(owner)).toEqual(WITHOUT_ALARM)
      await owner.send('DELETE', `/trusted-devices/${owner.uid}`)
      expect(await signalsOfLogin(owner)).toEqual(WITHOUT_ALARM)
    })
  })

  describe('a user who never signed in or was erased', () => {
    it('gets no row when something is revoked', async () => {
      await open()
      await house.devices.users.erase('1')
      await house.devices.registry.revokeAll('1')
      await house.devices.registry.revokeAll('nobody')
      await house.devices.registry.revoke('nobody', stranger.uid)
      await house.devices.users.deactivated('nobody')
      await house.devices.registry.edit('nobody', stranger.uid, { name: 'x' })
      await house.devices.users.erase('nobody')
      expect(await house.sql.query('SELECT user_id FROM quillgate_device_owner')).toEqual([])
    })
  })
})
