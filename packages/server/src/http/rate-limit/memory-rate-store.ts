/**
 * A store that counts hits, such as a limiter of `rate-limiter-flexible`. A window of time begins
 * with the first hit of a key and has a fixed end. Both methods are atomic. They reject on failure.
 */
export interface RateStore {
  /**
   * Adds hits to the window of a key.
   *
   * @param key at most 80 characters of ASCII
   * @param options.customDuration length of the window in seconds, the same for every hit of a key
   * @returns the number of hits in the current window, including the new hits, and the milliseconds
   * until the window ends
   */
  penalty(
    key: string,
    points: number,
    options: { readonly customDuration: number },
  ): Promise<{ readonly consumedPoints: number; readonly msBeforeNext: number }>
  /** Subtracts hits from the window of a key. */
  reward(
    key: string,
    points: number,
    options: { readonly customDuration: number },
  ): Promise<unknown>
}

interface Entry {
  readonly count: number
  readonly end: number
}

const LEVELS = 8

/**
 * Creates a store of limited size in the memory of this process.
 *
 * Keys with similar counts share a level: 1, 2–3, 4–7 and so on. A flood of new keys fills the
 * lowest level and evicts only keys of this level. To evict a key with a high count, an attacker
 * would have to fill a higher level with other keys.
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
  const put = (key: string, entry: Entry, now: number) => {
    levels[levelOf(entry.count)]?.set(key, entry)
    for (const level of levels) forgetOldest(level, keysPerLevel, now)
    return { consumedPoints: entry.count, msBeforeNext: entry.end - now }
  }

  return {
    async penalty(key, points, { customDuration }) {
      const now = clock()
      const end = now + customDuration * 1000
      const entry = take(key)
      // If the clock was set back, the old window ends too late. A new window begins instead.
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

// Deletes the least recently changed windows, until at most `most` remain and the first is open.
function forgetOldest(level: Map<string, Entry>, most: number, now: number): void {
  for (const [key, { end }] of level) {
    if (level.size <= most && end > now) return
    level.delete(key)
  }
}

// Returns the number of binary digits of a count. Large counts share the highest level.
function levelOf(count: number): number {
  return Math.min(32 - Math.clz32(count), LEVELS - 1)
}
