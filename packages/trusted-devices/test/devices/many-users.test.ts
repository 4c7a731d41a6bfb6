import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteEngine } from '@quillgate/server/testing'
import { describe, expect, it } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { revokeFromMany } from '../../src/devices/revocation/many-users.ts'
import { openHouse } from '../support/house.ts'

async function* users(count: number): AsyncGenerator<string> {
  for (let user = 1; user <= count; user++) yield String(user)
}

const outcomeOf = (userId: string) => ({ result: 1, events: [{ userId } as DeviceEvent] })

describe('revokeFromMany', () => {
  it('runs the receivers of several users at once, and never of more than 20', async () => {
    let running = 0
    let most = 0
    const published: string[] = []
    const done = await revokeFromMany(
      users(100),
      async (userId) => outcomeOf(userId),
      async ([event]) => {
        most = Math.max(most, ++running)
        await sleep(2)
        running--
        published.push(event?.userId ?? '')
      },
    )
    expect(done).toEqual({ revoked: 100, failures: [] })
    expect(published).toHaveLength(100)
    expect(most).toBe(20)
  })

  it('changes one user at a time, and continues after one that failed', async () => {
    const error = new Error('no database')
    let changing = 0
    let published = 0
    const done = await revokeFromMany(
      users(5),
      async (userId) => {
        expect(++changing).toBe(1)
        await sleep(1)
        changing--
        if (userId === '3') throw error
        return outcomeOf(userId)
      },
      async () => {
        await sleep(20)
        published++
      },
    )
    expect(done).toEqual({ revoked: 4, failures: [{ userId: '3', error }] })
    expect(published).toBe(4)
  })

  it('waits for what it began when the users cannot be read', async () => {
    let published = 0
    const broken = async function* () {
      yield* users(2)
      throw new Error('no database')
    }
    const run = revokeFromMany(
      broken(),
      async (userId) => outcomeOf(userId),
      async () => {
        await sleep(20)
        published++
      },
    )
    await expect(run).rejects.toThrow('no database')
    expect(published).toBe(2)
  })
})

describe('cleanup', () => {
  it('waits for the receivers of all users, side by side, and keeps the order of one user', async () => {
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
