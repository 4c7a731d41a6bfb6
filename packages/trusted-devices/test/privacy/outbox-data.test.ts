import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from '../support/client.ts'
import { type House, openHouse, QUIET } from '../support/house.ts'

const DAY = 86_400_000

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  /** Receivers fail while `isAway` is true. */
  async function settle(
    attempts: number,
  ): Promise<{ isAway: boolean; received: object[]; gone: string }> {
    house = await openHouse(
      engine,
      { outbox: true, outboxInterval: null, outboxAttempts: attempts, outboxRetention: null },
      { logger: QUIET },
    )
    const state = { isAway: true, received: [] as object[], gone: '' }
    const receive = (event: object): void => {
      if (state.isAway) throw new Error('the mail server is away')
      state.received.push(event)
    }
    for (const signal of [house.devices.signals.deviceCreated, house.devices.signals.deviceRevoked])
      signal.connect(receive)
    await new BearerClient(house.devices, '203.0.113.10', 'secret-app/1.0').login()
    const phone = new BearerClient(house.devices, '198.51.100.7', 'secret-app/1.0')
    await phone.login()
    await phone.send('POST', '/trusted-devices/logout')
    await new BearerClient(house.devices, '192.0.2.44', 'other-app/1.0').login('grace')
    state.gone = phone.uid
    return state
  }
  const rows = (where = "job_key = '1'") =>
    house.sql.query(`SELECT state, payload, last_error FROM quillgate_device_job WHERE ${where}`)

  describe('the outbox', () => {
    it('is part of the export of a user, with pending and dead events', async () => {
      const { gone } = await settle(1)
      const { data } = await house.devices.users.export('1')
      const outbox = data['outbox'] as { signal: string; event: { device: object } }[]
      expect(new Set(outbox.map(({ signal }) => signal))).toEqual(
        new Set(['device_created', 'device_revoked', 'suspicious_login']),
      )
      const revoked = outbox.find(({ signal }) => signal === 'device_revoked')
      expect(revoked).toMatchObject({
        state: expect.stringMatching(/^(dead|pending)$/),
        event: {
          kind: 'revoked',
          reason: 'logout',
          device: { uid: gone, userAgent: 'secret-app/1.0', country: 'FR' },
        },
      })
      expect(JSON.stringify(data)).not.toContain('other-app')
    })

    it('keeps only undelivered revocations of an erased user, with only the uid', async () => {
      const state = await settle(50)
      expect(await house.devices.users.erase('1')).toBe(1)
      expect(JSON.stringify(await rows())).not.toMatch(
        /secret-app|203\.0\.113|198\.51\.100|Berlin|Paris|"FR"/,
      )
      expect(JSON.stringify(await rows("job_key = '2'"))).toContain('other-app')
      state.isAway = false
      for (let round = 0; round < 10; round++) {
        house.clock.advance(DAY)
        await house.devices.outbox.deliver()
      }
      const received = state.received.filter(
        (event) => !JSON.stringify(event).includes('other-app'),
      )
      expect(received).toHaveLength(2)
      expect(received).toMatchObject([
        {
          deviceUid: state.gone,
          reason: 'logout',
          device: { uid: state.gone, name: '', address: null },
        },
        { reason: 'user_deleted', device: { name: '', userAgent: '', country: null } },
      ])
      // The account still exists, but the signal contains only the id.
      expect(received[1]).toHaveProperty('user', { id: '1' })
      await house.devices.users.erase('1')
      expect(await rows()).toEqual([])
    })

    it('passes the session id to receivers after an erasure, but does not export it', async () => {
      const state = await settle(50)
      const context = new Browser(house.devices).context('/login', 'POST')
      await house.devices.login({ id: '1' }, context, {
        transport: 'cookie',
        sessionId: 'a-secret-session',
      })
      await house.devices.registry.revokeAll('1')
      expect(JSON.stringify(await rows())).toContain('a-secret-session')
      expect(JSON.stringify(await house.devices.users.export('1'))).not.toContain(
        'a-secret-session',
      )
      await house.devices.users.erase('1')
      state.isAway = false
      house.clock.advance(DAY)
      await house.devices.outbox.deliver()
      expect(state.received).toContainEqual(
        expect.objectContaining({ sessionId: 'a-secret-session' }),
      )
    })

    it('erases dead events', async () => {
      await settle(1)
      await house.devices.outbox.deliver()
      await house.devices.users.erase('1')
      const left = await rows()
      expect(
        left.filter(
          (row) => row['state'] === 'dead' && String(row['payload']).includes('secret-app'),
        ),
      ).toEqual([])
    })

    it('keeps addresses no longer than the devices do', async () => {
      await settle(1)
      house.clock.advance(29 * DAY)
      await house.devices.registry.cleanup()
      expect(JSON.stringify(await rows())).toContain('198.51.100.7')
      house.clock.advance(2 * DAY)
      expect((await house.devices.registry.cleanup()).reducedAddresses).toBeGreaterThan(0)
      const payloads = JSON.stringify(await rows())
      expect(payloads).not.toMatch(/198\.51\.100\.7|203\.0\.113\.10/)
      expect(payloads).toContain('198.51.100.0/24')
      expect((await house.devices.registry.cleanup()).reducedAddresses).toBe(0)
      house.clock.advance(150 * DAY)
      await house.devices.registry.cleanup()
      expect(JSON.stringify(await rows())).not.toMatch(/198\.51|203\.0|Berlin|Paris/)
      expect(JSON.stringify(await rows())).toContain('secret-app')
    })
  })
})
