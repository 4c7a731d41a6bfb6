import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { PacedPublication } from '../../src/devices/revocation/revoke-where.ts'

type PublishWithin = ConstructorParameters<typeof PacedPublication>[0]['publishWithin']

function publishAll(users: number, publishWithin: PublishWithin): Promise<void> {
  const publication = new PacedPublication({ publishWithin })
  for (let user = 1; user <= users; user++)
    publication.add([{ userId: String(user) } as DeviceEvent])
  return publication.done()
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

describe('a publication for many users', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('waits for the deadline once, and then 1 s for each user, if all receivers hang', async () => {
    let [started, isDone] = [0, false]
    const publishing = publishAll(60, async (seconds) => {
      started++
      await pause(seconds)
      return false
    })
    void publishing.then(() => {
      isDone = true
    })
    await vi.advanceTimersByTimeAsync(59_900)
    expect(started).toBe(20)
    await vi.advanceTimersByTimeAsync(200)
    expect(started).toBe(40)
    await vi.advanceTimersByTimeAsync(1000)
    expect(started).toBe(60)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect(isDone).toBe(true)
  })

  it('still waits for the receivers of other users if those of one user hang', async () => {
    const short: string[] = []
    let [running, most] = [0, 0]
    const publishing = publishAll(200, async (seconds, [event]) => {
      const userId = event?.userId ?? ''
      most = Math.max(most, ++running)
      if (seconds < 60) short.push(userId)
      await pause(userId === '1' ? seconds : 10)
      running--
      return userId !== '1'
    })
    await vi.advanceTimersByTimeAsync(200_000)
    await publishing
    expect(most).toBe(20)
    expect(short.length).toBeLessThan(10) // There are 200 users in total.
  })
})

describe('the slots of a publication', () => {
  it('are released when no publication is waiting', async () => {
    let published = 0
    const publication = new PacedPublication({
      async publishWithin() {
        await sleep(1)
        published++
        return true
      },
    })
    for (let round = 0; round < 3; round++) {
      for (let user = 0; user < 30; user++) publication.add([{ userId: '1' } as DeviceEvent])
      await publication.done()
    }
    publication.add([])
    await publication.done()
    expect(published).toBe(90)
  })
})
