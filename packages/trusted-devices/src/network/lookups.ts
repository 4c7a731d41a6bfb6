import { withTimeout } from '@quillgate/server/core'
import { LRUCache } from 'lru-cache'

/** The options of {@link Lookups}. */
export interface LookupOptions<Answer> {
  /** Seconds that a lookup may take. */
  readonly timeout: number
  /** Seconds for which the answer about an address counts, also if it is unknown. */
  readonly ttl: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The result if there is no answer. */
  readonly unknown: Answer
  /** Called for each lookup that failed. */
  readonly onError: (error: unknown) => void
}

const MAX_ANSWERS = 10_000
const MAX_RUNNING = 32 // The limit for a provider that hangs. Further logins do not wait.

/** Lookups at a service that may be slow, cost money, or be down. */
export class Lookups<Answer> {
  readonly #options: LookupOptions<Answer>
  readonly #answers = new LRUCache<
    string,
    { readonly answer: Promise<Answer>; readonly at: number }
  >({ max: MAX_ANSWERS })
  #running = 0

  constructor(options: LookupOptions<Answer>) {
    this.#options = options
  }

  /**
   * Asks, unless the answer is cached or the same lookup is under way. Never rejects.
   *
   * @param address null: the answer is not cached
   * @param ask its signal is aborted after the time limit
   */
  async find(
    address: string | null,
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const { ttl, clock, unknown, onError } = this.#options
    const kept = address === null ? undefined : this.#answers.get(address)
    if (kept && Math.abs(clock() - kept.at) < ttl * 1000) return kept.answer
    if (this.#running >= MAX_RUNNING) {
      onError(new Error(`${MAX_RUNNING} lookups of locations are running: no more are begun.`))
      return unknown
    }
    const answer = this.#ask(ask)
    if (address !== null) this.#answers.set(address, { answer, at: clock() })
    return answer
  }

  async #ask(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { timeout, unknown, onError } = this.#options
    this.#running++
    try {
      const signal = AbortSignal.timeout(Math.ceil(timeout * 1000))
      return await withTimeout(timeout, ask(signal), () => {
        throw new Error(`The location was not found within ${timeout} s.`)
      })
    } catch (error) {
      onError(error)
      return unknown
    } finally {
      this.#running--
    }
  }
}
