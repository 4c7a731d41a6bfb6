import type { RateStore, RateWindow } from './rate-store.ts'

interface Entry {
  readonly count: number
  readonly end: number
}

const LEVELS = 8

/**
 * A store in the memory of this process: no timers, bounded, empty after a restart.
 *
 * Keys are kept in levels by the size of their count: 1, 2–3, 4–7 and so on. A flood of new keys
 * fills the lowest level and pushes out its own keys. To push out a key with a high count, an
 * attacker must raise as many others to that level.
 */
export function createMemoryRateStore({
  clock = (): number => Date.now(),
  maxKeys = 200_000,
} = {}): RateStore {
  const levels = Array.from({ length: LEVELS }, () => new Map<string, Entry>())
  const keysPerLevel = Math.ceil(maxKeys / LEVELS)

  const take = (key: string): Entry | undefined => {
    const level = levels.find((each) => each.has(key))
    const entry = level?.get(key)
    level?.delete(key)
    return entry
  }
  const put = (key: string, entry: Entry, now: number): RateWindow => {
    levels[levelOf(entry.count)]?.set(key, entry)
    for (const level of levels) forgetOldest(level, keysPerLevel, now)
    return { consumedPoints: entry.count, msBeforeNext: entry.end - now }
  }

  return {
    async penalty(key, points, { customDuration }) {
      const now = clock()
      const end = now + customDuration * 1000
      const entry = take(key)
      // An end too far ahead comes from a clock that was set back since. The window would stay shut.
      const isOpen = entry !== undefined && entry.end > now && entry.end <= end
      return put(
        key,
        isOpen ? { ...entry, count: entry.count + points } : { count: points, end },
        now,
      )
    },
    async reward(key, points) {
      const entry = take(key)
      if (entry) put(key, { ...entry, count: Math.max(0, entry.count - points) }, clock())
    },
  }
}

/** Forgets windows that are over, and those above the limit of a level, the oldest first. */
function forgetOldest(level: Map<string, Entry>, most: number, now: number): void {
  for (const [key, { end }] of level) {
    if (level.size <= most && end > now) return
    level.delete(key)
  }
}

/** The number of binary digits of a count, at most that of the last level. */
function levelOf(count: number): number {
  return Math.min(32 - Math.clz32(count), LEVELS - 1)
}
