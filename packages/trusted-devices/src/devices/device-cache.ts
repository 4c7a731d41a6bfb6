import { createLruCache } from '../lru-cache.ts'
import type { DeviceRecord } from './device-record.ts'

/**
 * Remembers devices for a moment, so that a busy client costs one read per `deviceCacheTtl`. Whoever changes or
 * deletes a device makes the cache forget it after the commit, so on this node a revocation holds at once.
 */
export interface DeviceCache {
  /** The remembered device, or the one that `load` finds; null is never remembered. */
  get(uid: string, load: () => Promise<DeviceRecord | null>): Promise<DeviceRecord | null>
  /** Remembers a newer state of a device, if it is remembered at all. */
  update(before: DeviceRecord, after: DeviceRecord): void
  forget(uid: string): void
}

interface Entry {
  readonly record: DeviceRecord
  readonly loadedAt: number
}

const CACHED_DEVICES = 10_000

/** Creates an empty cache. @param ttl milliseconds; 0 remembers nothing */
export function createDeviceCache(ttl: number, clock: () => number): DeviceCache {
  const entries = createLruCache<Entry>(CACHED_DEVICES)
  let forgotten = 0 // Counts, so that a read that began before a revocation is not remembered after it.
  return {
    async get(uid, load) {
      const entry = entries.get(uid)
      if (entry && Math.abs(clock() - entry.loadedAt) < ttl) return entry.record
      const before = forgotten
      const loadedAt = clock()
      const record = await load()
      if (record && ttl > 0 && before === forgotten) entries.set(uid, { record, loadedAt })
      return record
    },
    update(before, after) {
      const entry = entries.get(before.device.uid)
      if (entry?.record === before) entries.set(before.device.uid, { record: after, loadedAt: entry.loadedAt })
    },
    forget(uid) {
      forgotten++
      entries.delete(uid)
    },
  }
}
