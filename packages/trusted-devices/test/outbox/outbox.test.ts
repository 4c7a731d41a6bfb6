import { describeDatabases } from '@quillgate/server/testing/suites'
import { TrustedDevice } from '@quillgate/trusted-devices'
import { recordSignals } from '@quillgate/trusted-devices/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const SETTINGS = {
  outbox: true,
  outboxInterval: null,
  outboxTimeout: 0.2,
  receiverTimeout: 5,
} as const
const HOUR = 3_600_000

describe('the outbox', () => {
  describeDatabases((engine) => {
    let house: House
    let errors: string[]
    let warnings: string[]
    /**
     * Blocks the receivers of a stopped process. Resolves at the end of the test, because `close`
     * waits for the receivers.
     */
    let stuck: PromiseWithResolvers<void>
    beforeEach(async () => {
      stuck = Promise.withResolvers()
      errors = []
      warnings = []
      house = await openHouse(engine, SETTINGS, {
        logger: {
          warn: (message) => warnings.push(message),
          error: (_message, error) => errors.push(String(error)),
        },
      })
    })
    afterEach(() => {
      stuck.resolve()
      return house.close()
    })

    const states = async (devices: TestDevices = house.devices): Promise<string[]> =>
      (await devices.outbox.list()).entries.map(
        ({ signal, state, attempts }) => `${signal} ${state} ${attempts}`,
      )

    it('delivers events immediately, and only once', async () => {
      const client = new BearerClient(house.devices)
      await client.login()
      expect(house.signals.names()).toEqual(['device_created'])
      await client.send('POST', '/trusted-devices/logout')
      expect(house.signals.names()).toEqual(['device_created', 'device_revoked'])
      expect(await states()).toEqual(['device_created delivered 1', 'device_revoked delivered 1'])
      house.clock.advance(HOUR)
      expect(await house.devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 0 })
      expect(house.signals.events).toHaveLength(2)
    })

    it('delivers the events that another process has left, unchanged', async () => {
      const dead = house.reopen()
      dead.signals.deviceCreated.connect(() => stuck.promise)
      dead.signals.suspiciousLogin.connect(() => stuck.promise)
      await new BearerClient(house.devices).login()
      const direct = house.signals.take()
      await new BearerClient(dead, '192.0.2.44').login()
      const [created] = house.signals.take()
      expect(await states()).toEqual([
        'device_created delivered 1',
        'device_created pending 1',
        'suspicious_login pending 0',
      ])
      house.clock.advance(HOUR)
      const next = house.reopen()
      const recorder = recordSignals(next.signals)
      expect(await next.outbox.deliver()).toEqual({ delivered: 2, retrying: 0, dead: 0 })
      const { instance: _, ...members } = created ?? direct[0] ?? {}
      expect(recorder.events).toMatchObject([
        { ...members, sender: TrustedDevice },
        {
          signal: 'suspicious_login',
          previousCountries: new Set(['DE']),
          user: { id: '1', username: 'ada' },
        },
      ])
      expect(recorder.events[0]?.device).toEqual(created?.device)
      expect(recorder.events[0]?.instance).toBe(next)
    })

    it('retries a receiver that throws with growing pauses, delays later events of the user, and finally gives up', async () => {
      const devices = house.reopen({ outboxAttempts: 3 })
      let isBroken = true
      const calls: string[] = []
      devices.signals.deviceCreated.connect(({ device }) => {
        calls.push(device.uid)
        if (isBroken) throw new Error('no mail server')
      })
      const revoked: string[] = []
      devices.signals.deviceRevoked.connect(({ deviceUid }) => revoked.push(deviceUid))
      const client = new BearerClient(devices)
      expect((await client.login()).status).toBe(200)
      expect(await devices.registry.revokeAll('1')).toBe(1)
      expect(revoked).toEqual([])
      expect(errors).toEqual(['Error: no mail server'])
      // The event is not due yet.
      expect(await devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 0 })
      house.clock.advance(5000)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 1, dead: 0 })
      house.clock.advance(5000)
      // The second pause is twice as long.
      expect(await devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 0 })
      house.clock.advance(5000)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 1 })
      expect(revoked).toEqual([client.uid])
      expect(calls).toHaveLength(3)
      const { entries } = await devices.outbox.list({ state: 'dead' })
      expect(entries).toMatchObject([
        {
          ...{
            signal: 'device_created',
            userId: '1',
            deviceUid: client.uid,
            reason: 'login',
          },
          ...{ attempts: 3, state: 'dead', lastError: expect.stringContaining('no mail server') },
        },
      ])

      isBroken = false
      expect(await devices.outbox.replay({ eventId: crypto.randomUUID() })).toBe(0)
      expect(await devices.outbox.replay({ eventId: entries[0]?.eventId ?? '' })).toBe(1)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
      expect(calls).toHaveLength(4)
      expect(await states()).toEqual(['device_created delivered 1', 'device_revoked delivered 1'])
    })

    it('delays an answer by receiverTimeout at most, and does not repeat an event that is delivered late', async () => {
      const devices = house.reopen({ receiverTimeout: 0.05, outboxTimeout: 60 })
      const gate = Promise.withResolvers<void>()
      let calls = 0
      devices.signals.deviceCreated.connect(() => {
        calls++
        return gate.promise
      })
      const client = new BearerClient(devices)
      await client.login()
      await devices.registry.revokeAll('1') // The new event waits for the earlier event.
      house.signals.take()
      gate.resolve()
      await devices.close() // Waits for running receivers.
      expect(await states()).toEqual(['device_created delivered 1', 'device_revoked pending 0'])
      house.clock.advance(HOUR)
      await house.devices.outbox.deliver()
      expect(calls).toBe(1)
      expect(house.signals.names()).toEqual(['device_revoked'])
    })

    describe('a receiver that outlives its attempt', () => {
      const MINUTE = 60_000
      let devices: TestDevices
      let gate: PromiseWithResolvers<void>
      let calls: number
      beforeEach(async () => {
        gate = Promise.withResolvers()
        calls = 0
        devices = house.reopen({ outboxTimeout: 0.05, receiverTimeout: 0.01 })
        devices.signals.deviceCreated.connect(() => (++calls === 1 ? gate.promise : undefined))
        await new BearerClient(devices).login()
        await expect
          .poll(async () => (await devices.outbox.list()).entries[0]?.lastError)
          .toBe('A receiver has not finished after 0.05 s.')
      })

      it('is reported as slow, and is not called again if it finishes', async () => {
        house.clock.advance(9 * MINUTE)
        await devices.outbox.deliver()
        expect(await states()).toEqual(['device_created pending 1'])
        expect(warnings).toEqual([expect.stringContaining('A receiver of device_created is slow')])
        expect(errors).toEqual([])
        gate.resolve()
        await expect.poll(() => states()).toEqual(['device_created delivered 1'])
        house.clock.advance(HOUR)
        await devices.outbox.deliver()
        expect(calls).toBe(1)
      })

      it('is called again after ten minutes if it hangs or fails', async () => {
        gate.reject(new Error('no mail server'))
        await expect.poll(() => errors).toEqual(['Error: no mail server'])
        house.clock.advance(11 * MINUTE)
        await devices.outbox.deliver()
        expect(await states()).toEqual(['device_created delivered 2'])
        expect(calls).toBe(2)
      })
    })

    it('delivers a deleted user with only the id, and leaves no row to lock', async () => {
      const dying = house.reopen()
      dying.signals.deviceRevoked.connect(() => {
        throw new Error('dies')
      })
      await new BearerClient(dying).login()
      house.users.delete('1')
      await dying.users.deleted('1')
      house.signals.take()
      house.clock.advance(HOUR)
      await house.devices.outbox.deliver()
      expect(house.signals.events).toMatchObject([
        { signal: 'device_revoked', reason: 'user_deleted', user: { id: '1' }, actor: null },
      ])
      expect(await house.sql.query('SELECT * FROM quillgate_device_owner')).toEqual([])
    })

    it('retries while findById fails, and never delivers an existing user as a deleted one', async () => {
      await new BearerClient(house.devices).login()
      let isDown = true
      const devices = house.reopenWith({
        users: {
          findById: (id) => (isDown ? Promise.reject(new Error('down')) : house.users.findById(id)),
        },
        settings: { ...house.settings, outboxAttempts: 2 },
      })
      house.signals.take()
      await devices.registry.revokeAll('1')
      expect(house.signals.events).toEqual([])
      house.clock.advance(HOUR)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 1 })
      expect(house.signals.events).toEqual([])
      expect(await states(devices)).toEqual(['device_created delivered 1', 'device_revoked dead 2'])
      isDown = false
      await devices.outbox.replay({ everything: true })
      expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
      expect(house.signals.events).toMatchObject([
        { signal: 'device_revoked', user: { id: '1', username: 'ada' } },
      ])
    })

    it('leaves events to other processes if this one has no receivers', async () => {
      house.signals.stop()
      const client = new BearerClient(house.devices)
      await client.login()
      await client.send('POST', '/trusted-devices/logout')
      expect(await states()).toEqual(['device_created pending 0', 'device_revoked pending 0'])
      expect(await house.devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 0 })
      const worker = house.reopen()
      const recorder = recordSignals(worker.signals)
      expect(await worker.outbox.deliver()).toEqual({ delivered: 2, retrying: 0, dead: 0 })
      expect(recorder.names()).toEqual(['device_created', 'device_revoked'])
    })

    it('delivers the events that other processes have left in the background', async () => {
      const dead = house.reopen()
      dead.signals.deviceCreated.connect(() => stuck.promise)
      await new BearerClient(dead).login()
      house.signals.take()
      house.clock.advance(HOUR)
      const next = house.reopen({ outboxInterval: 0.01 })
      await next.ready()
      await expect.poll(() => house.signals.names()).toEqual(['device_created'])
    })

    it('deletes events after outboxRetention', async () => {
      const devices = house.reopen({ outboxRetention: 86_400 })
      await new BearerClient(devices).login()
      house.clock.advance(23 * HOUR)
      await devices.outbox.deliver()
      expect(await states()).toHaveLength(1)
      house.clock.advance(2 * HOUR)
      await devices.outbox.deliver()
      expect(await states()).toEqual([])
    })

    it('deletes the content of a delivered event', async () => {
      await new BearerClient(house.devices).login()
      expect(await house.sql.query('SELECT payload FROM quillgate_device_job')).toEqual([
        { payload: '' },
      ])
    })

    it('lists events page by page', async () => {
      for (let login = 0; login < 5; login++) await new BearerClient(house.devices).login()
      const first = await house.devices.outbox.list({ limit: 3, state: 'delivered' })
      expect(first.entries).toHaveLength(3)
      const second = await house.devices.outbox.list({ limit: 3, cursor: first.nextCursor })
      expect(second.entries).toHaveLength(2)
      expect(second.nextCursor).toBeNull()
      await expect(house.devices.outbox.list({ limit: 0 })).rejects.toMatchObject({
        code: 'configuration_error',
      })
      await expect(house.devices.outbox.list({ cursor: 'x' })).rejects.toMatchObject({
        code: 'configuration_error',
      })
    })

    // The timeout is high, because the test signs in 130 times.
    it('delivers the events of many devices in order, while another process signs in', {
      timeout: 60_000,
    }, async () => {
      const clients = Array.from({ length: 130 }, () => new BearerClient(house.devices))
      for (const client of clients) await client.login()
      house.signals.take()
      const other = house.reopen()
      await Promise.all([house.devices.registry.revokeAll('1'), new BearerClient(other).login()])
      // On a slow machine, both processes may still be delivering. The clock must not end the
      // leases of these attempts.
      await Promise.all([house.devices.settle(), other.settle()])
      house.clock.advance(HOUR)
      await other.outbox.deliver()
      const revoked = house.signals.events.filter(({ signal }) => signal === 'device_revoked')
      const rows = await house.sql.query('SELECT id FROM quillgate_device_job ORDER BY position')
      const order = rows.map((row) => row['id'])
      const places = house.signals.events.map(({ eventId }) => order.indexOf(eventId))
      expect(places).toEqual([...places].sort((a, b) => a - b))
      expect(revoked.length).toBeGreaterThanOrEqual(130)
      expect(new Set(places).size).toBe(places.length)
    })
  })
})
