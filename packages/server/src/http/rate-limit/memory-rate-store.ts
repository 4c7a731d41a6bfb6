import { functionOf, whole } from '../../core/checks.ts'
import { field, type Input, parse } from '../../core/schema.ts'
import type { RateStore } from './rate-store.ts'

const OPTIONS = {
  /** Milliseconds since the epoch. */
  clock: field(functionOf<() => number>(), () => Date.now()),
  /** Most keys at once. Beyond it, old keys with common counts are forgotten first. */
  maxKeys: field(whole(1), 100_000),
}

/** How {@link createMemoryRateStore} counts. */
export type MemoryRateStoreOptions = Input<typeof OPTIONS>

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
  const { clock, maxKeys } = parse(OPTIONS, options)
  const memory = new Memory()
  return {
    async hit(key, seconds) {
      const now = clock()
      const end = now + seconds * 1000
      let entry = memory.get(key)
      // An end too far ahead comes from a clock that was set back since. The window would stay shut.
      if (!entry || entry.end <= now || entry.end > end) {
        memory.delete(key)
        entry = { count: 0, end }
        memory.set(key, entry, 1)
        memory.forget(now, maxKeys)
      } else memory.set(key, entry, entry.count + 1)
      return { count: entry.count, resetAfter: entry.end - now }
    },
    async takeBack(key) {
      const entry = memory.get(key)
      if (entry && entry.count > 0) memory.set(key, entry, entry.count - 1)
    },
  }
}

/** How many keys each new key sweeps. */
const SWEPT = 8

/**
 * Entries in levels by the size of their count: 1, 2–3, 4–7 and so on. A flood of new keys fills
 * the lowest level and pushes out its own keys. To push out a key with a high count, an attacker
 * must raise as many others to that level.
 */
class Memory {
  readonly #entries = new Map<string, Entry>()
  #sweep = this.#entries.entries()
  /** Keys of each level, in the order in which they came there. */
  readonly #levels = Array.from({ length: 33 }, () => new Set<string>())

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  set(key: string, entry: Entry, count: number): void {
    const level = levelOf(count)
    if (level !== levelOf(entry.count)) this.#levels[levelOf(entry.count)]?.delete(key)
    this.#levels[level]?.add(key)
    this.#entries.set(key, entry)
    entry.count = count
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#levels[levelOf(entry.count)]?.delete(key)
    this.#entries.delete(key)
  }

  /**
   * Forgets windows that are over at the old end of each level, and among the next few keys of the
   * sweep: short windows also end behind a long one. If there are still too many, it forgets the
   * oldest of the fullest level.
   */
  forget(now: number, maxKeys: number): void {
    for (const level of this.#levels) {
      for (const key of level) {
        if ((this.#entries.get(key)?.end ?? 0) > now) break
        this.delete(key)
      }
    }
    for (let step = 0; step < SWEPT; step++) {
      const { done, value } = this.#sweep.next()
      if (done) this.#sweep = this.#entries.entries()
      else if (value[1].end <= now) this.delete(value[0])
    }
    while (this.#entries.size > maxKeys) {
      // Of equal levels the higher one, so that the newest key is not removed at once.
      const fullest = this.#levels.reduce((best, level) => (level.size >= best.size ? level : best))
      const [oldest = ''] = fullest
      this.delete(oldest)
    }
  }
}

/** The number of binary digits of a count. */
function levelOf(count: number): number {
  return 32 - Math.clz32(count)
}
