import { describe, expect, it } from 'vitest'
import { createDeviceCache, type DeviceCache } from '../../src/devices/device-cache.ts'
import type { DeviceRecord } from '../../src/devices/tables/device-record.ts'

/** As much of a record as the cache looks at. */
const record = (userId = '1'): DeviceRecord => ({ device: { uid: 'a', userId } }) as DeviceRecord

const forgets: [string, (cache: DeviceCache) => void][] = [
  ['the device', (cache) => cache.forget('a')],
  ['everything', (cache) => cache.forgetAll()],
]

describe('createDeviceCache', () => {
  it.each(forgets)('forgets %s, also what is only just being read', async (_what, forget) => {
    const cache = createDeviceCache(1000, () => 0)
    let reads = 0
    const read = async () => {
      reads++
      return record()
    }
    await cache.get('a', read)
    await cache.get('a', read)
    expect(reads).toBe(1)
    forget(cache)
    const { promise, resolve } = Promise.withResolvers<DeviceRecord>()
    const slow = cache.get('a', () => promise) // It read before the device was revoked …
    forget(cache)
    resolve(record())
    await slow
    await cache.get('a', read) // … and is not believed after.
    expect(reads).toBe(2)
  })

  it('remembers other devices', async () => {
    const cache = createDeviceCache(1000, () => 0)
    const remembered = record()
    await cache.get('a', async () => remembered)
    cache.forget('b')
    expect(await cache.get('a', async () => null)).toBe(remembered)
  })

  it('counts the time from before the read, and keeps nothing with a time of 0', async () => {
    let now = 0
    const cache = createDeviceCache(1000, () => now)
    await cache.get('a', async () => {
      now = 900
      return record()
    })
    now = 1000
    expect(await cache.get('a', async () => null)).toBeNull()
    const none = createDeviceCache(0, () => now)
    await none.get('a', async () => record())
    expect(await none.get('a', async () => null)).toBeNull()
  })
})
