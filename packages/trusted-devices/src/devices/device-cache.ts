import { LRUCache } from 'lru-cache'
import type { DeviceRecord } from './tables/device-record.ts'

/**
 * Caches devices for `deviceCacheTtl`, so that a busy client costs one read in that time. A change
 * removes its device after the commit, so that it takes effect on this node immediately.
 */
export interface DeviceCache {
  /** Returns the cached device, or the one that `load` finds. Null is never cached. */
  get(uid: string, load: () => Promise<DeviceRecord | null>): Promise<DeviceRecord | null>
  /** Replaces a cached device by its newer state. */
  update(before: DeviceRecord, after: DeviceRecord): void
  forget(uid: string): void
  forgetAll(): void
}

interface Entry {
  readonly record: DeviceRecord
  readonly loadedAt: number
}

const CACHED_DEVICES = 10_000

/** Creates an empty cache. @param ttl milliseconds; 0 caches nothing */
export function createDeviceCache(ttl: number, clock: () => number): DeviceCache {
  const entries = new LRUCache<string, Entry>({ max: CACHED_DEVICES })
  const reading = new Map<string, symbol>() // By the latest read of each device.
  return {
    async get(uid, load) {
      const loadedAt = clock()
      const entry = entries.get(uid)
      if (entry && Math.abs(loadedAt - entry.loadedAt) < ttl) return entry.record
      if (ttl <= 0) return load()
      const read = Symbol(uid)
      reading.set(uid, read)
      try {
        const record = await load()
        // A read that began before a revocation is not cached after it.
        if (record && reading.get(uid) === read) entries.set(uid, { record, loadedAt })
        return record
      } finally {
        if (reading.get(uid) === read) reading.delete(uid)
      }
    },
    update(before, after) {
      const entry = entries.get(before.device.uid)
      if (entry?.record === before)
        entries.set(before.device.uid, { record: after, loadedAt: entry.loadedAt })
    },
    forget(uid) {
      reading.delete(uid)
      entries.delete(uid)
    },
    forgetAll() {
      reading.clear()
      entries.clear()
    },
  }
}
