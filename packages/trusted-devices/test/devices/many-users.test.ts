import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteEngine } from '@quillgate/server/testing'
import { describe, expect, it } from 'vitest'
import { openHouse } from '../support/house.ts'

describe('cleanup', () => {
  it('waits for the receivers of all users, and keeps the order of one user', async () => {
    const house = await openHouse(sqliteEngine(), { receiverTimeout: 0.01 })
    const request = new Request('http://localhost/')
    for (let user = 1; user <= 40; user++) {
      const userId = String(user)
      for (let device = 0; device < 2; device++) {
        await house.devices.login({ id: userId }, { request }, { transport: 'bearer' })
      }
    }
    const heard = new Map<string, string[]>()
    let [running, most] = [0, 0]
    house.devices.signals.deviceRevoked.connect(async ({ device, eventId }) => {
      most = Math.max(most, ++running)
      await sleep(30)
      running--
      heard.set(device.userId, [...(heard.get(device.userId) ?? []), eventId])
    })
    house.clock.advance(100 * 86_400_000)
    expect(await house.devices.registry.cleanup()).toMatchObject({ revoked: 80, failures: [] })
    expect(running).toBe(0)
    expect(most).toBeGreaterThan(1)
    expect(heard.size).toBe(40)
    for (const events of heard.values()) {
      expect(events).toHaveLength(2)
      expect(events).toEqual(events.toSorted()) // Ids of events grow.
    }
    await house.close()
  })
})
