import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteEngine } from '@quillgate/server/testing'
import { describe, expect, it } from 'vitest'
import { type House, openHouse } from '../support/house.ts'

async function signIn({ devices }: House, users: number, devicesEach: number): Promise<void> {
  const request = new Request('http://localhost/')
  for (let user = 1; user <= users; user++)
    for (let device = 0; device < devicesEach; device++)
      await devices.login({ id: String(user) }, { request }, { transport: 'bearer' })
}

async function countDevices({ sql }: House): Promise<number> {
  return Number((await sql.query('SELECT COUNT(*) AS n FROM quillgate_device'))[0]?.['n'])
}

describe('cleanup', () => {
  it('waits for the receivers of all users, and keeps the order of each user', async () => {
    const house = await openHouse(sqliteEngine(), { receiverTimeout: 0.01 })
    await signIn(house, 40, 2)
    const received = new Map<string, string[]>()
    let [running, most] = [0, 0]
    house.devices.signals.deviceRevoked.connect(async ({ device, eventId }) => {
      most = Math.max(most, ++running)
      await sleep(30)
      running--
      received.set(device.userId, [...(received.get(device.userId) ?? []), eventId])
    })
    house.clock.advance(100 * 86_400_000)
    expect(await house.devices.registry.cleanup()).toMatchObject({ revoked: 80, failures: [] })
    expect(running).toBe(0)
    expect(most).toBeGreaterThan(1)
    expect(received.size).toBe(40)
    for (const events of received.values()) {
      expect(events).toHaveLength(2)
      expect(events).toEqual(events.toSorted()) // The ids of events increase with time.
    }
    await house.close()
  })
})

describe('revokeWhere', () => {
  it.each([{ receiverTimeout: 1 }, { receiverTimeout: 0 }])(
    'revokes all devices while the receivers of 20 users hang: %j',
    { timeout: 30_000 },
    async (settings) => {
      const house = await openHouse(sqliteEngine(), settings)
      await signIn(house, 200, 1)
      const gate = Promise.withResolvers<void>()
      const received: string[] = []
      house.devices.signals.deviceRevoked.connect(({ device }) => {
        received.push(device.userId)
        return gate.promise
      })
      const revoking = house.devices.registry.revokeWhere({ everything: true })
      await expect.poll(() => countDevices(house)).toBe(0)
      expect(received).toHaveLength(20)
      gate.resolve()
      expect(await revoking).toMatchObject({ revoked: 200, failures: [] })
      expect(new Set(received).size).toBe(200)
      await house.close()
    },
  )

  it('waits only for its own receivers', async () => {
    const house = await openHouse(sqliteEngine(), { receiverTimeout: 0.01 })
    const gate = Promise.withResolvers<void>()
    house.devices.signals.deviceCreated.connect(() => gate.promise)
    await signIn(house, 1, 1)
    let isDone = false
    house.devices.signals.deviceRevoked.connect(async () => {
      await sleep(50) // This takes longer than `receiverTimeout`.
      isDone = true
    })
    const { revoked } = await house.devices.registry.revokeWhere({ everything: true })
    expect(revoked).toBe(1)
    expect(isDone).toBe(true)
    gate.resolve()
    await house.close()
  })
})
