import { checkOptions, mustBeFunction, mustBeWhole } from './check-options.ts'
import type { RateStore } from './rate-store.ts'

/** How {@link createMemoryRateStore} counts. */
export interface MemoryRateStoreOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
  /** Most keys that are remembered at once; past it the oldest windows are forgotten first. @default 100000 */
  readonly maxKeys?: number
}

interface Entry {
  count: number
  readonly end: number
}

/**
 * A store in the memory of this process: no timers, bounded, empty after a restart.
 *
 * @throws ConfigurationError that names the option
 */
export function createMemoryRateStore(options: MemoryRateStoreOptions = {}): RateStore {
  checkOptions(options, { clock: mustBeFunction, maxKeys: mustBeWhole(1, Number.MAX_SAFE_INTEGER) })
  const { clock = Date.now, maxKeys = 100_000 } = options
  const entries = new Map<string, Entry>()
  return {
    async hit(key, seconds) {
      const now = clock()
      let entry = entries.get(key)
      // An end too far ahead is of a clock that was set back since: that window would stay shut for as long.
      if (!entry || entry.end <= now || entry.end > now + seconds * 1000) {
        entries.delete(key) // So that the order of the map is the order in which windows began.
        entry = { count: 0, end: now + seconds * 1000 }
        entries.set(key, entry)
        forgetOldest(entries, now, maxKeys)
      }
      entry.count++
      return { count: entry.count, resetAfter: entry.end - now }
    },
    async takeBack(key) {
      const entry = entries.get(key)
      if (entry && entry.count > 0) entry.count--
    },
  }
}

/** Removes what is over at the old end, and more when there are too many. */
function forgetOldest(entries: Map<string, Entry>, now: number, maxKeys: number): void {
  for (const [key, entry] of entries) {
    if (entry.end > now && entries.size <= maxKeys) return
    entries.delete(key)
  }
}
