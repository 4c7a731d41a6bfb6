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
const MAX_OPEN = 32 // The limit for a provider that hangs. Further logins do not wait.
const FORGOTTEN_AFTER = 30_000 // Milliseconds after which a lookup that never ends makes room.

/** Lookups at a service that may be slow, cost money, or be down. */
export class Lookups<Answer> {
  readonly #options: LookupOptions<Answer>
  readonly #answers = new LRUCache<
    string,
    { readonly answer: Promise<Answer>; readonly at: number }
  >({ max: MAX_ANSWERS })
  /** Lookups without an end, whether or not a login still waits. */
  readonly #open = new Set<Promise<Answer>>()
  #wasFull = false

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
    const { ttl, clock, unknown } = this.#options
    const kept = address === null ? undefined : this.#answers.get(address)
    if (kept && Math.abs(clock() - kept.at) < ttl * 1000) return kept.answer
    if (!this.#hasRoom()) return unknown
    const answer = this.#ask(ask)
    if (address !== null) this.#answers.set(address, { answer, at: clock() })
    return answer
  }

  async #ask(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { timeout, unknown, onError } = this.#options
    const controller = new AbortController()
    const asked = (async () => ask(controller.signal))()
    this.#add(asked)
    try {
      return await withTimeout(timeout, asked, () => {
        const error = new Error(`The location was not found within ${timeout} s.`)
        controller.abort(error)
        throw error
      })
    } catch (error) {
      onError(error)
      return unknown
    }
  }

  #hasRoom(): boolean {
    const isFull = this.#open.size >= MAX_OPEN
    if (isFull && !this.#wasFull) {
      const problem = `${this.#open.size} lookups of locations have no end: no more are begun.`
      this.#options.onError(new Error(problem))
    }
    this.#wasFull = isFull // Reported once, not at every login.
    return !isFull
  }

  #add(asked: Promise<Answer>): void {
    const remove = (): boolean => this.#open.delete(asked)
    this.#open.add(asked)
    setTimeout(remove, FORGOTTEN_AFTER).unref()
    asked.then(remove, remove)
  }
}
