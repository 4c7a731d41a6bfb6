import type { RequestContext } from '@quillgate/server/http'

/** Milliseconds. A WebSocket or a stream can live for hours after its request. */
const KEPT = 5000

interface Kept<Found> {
  readonly found: Promise<Found>
  readonly find: () => Promise<Found>
  since: number
}

/** Remembers for 5 seconds who made a request. Then it looks again. */
export class Identities<Found> {
  readonly #clock: () => number
  readonly #kept = new WeakMap<RequestContext, Kept<Found>>()

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Returns what is remembered, or what `find` returns. */
  get(context: RequestContext, find: () => Promise<Found>): Promise<Found> {
    const kept = this.#kept.get(context)
    const age = kept ? this.#clock() - kept.since : KEPT
    if (kept && age >= 0 && age < KEPT) return kept.found
    const again = kept?.find ?? find
    return this.set(context, again(), again)
  }

  /**
   * Replaces the identity of a request that signed in or out, whose headers still have the former
   * one.
   *
   * @param find called when the identity is looked for again
   */
  set(context: RequestContext, found: Promise<Found>, find: () => Promise<Found>): Promise<Found> {
    const kept: Kept<Found> = { find, found, since: this.#clock() }
    this.#kept.set(context, kept)
    found.catch(() => {
      kept.since = Number.NEGATIVE_INFINITY // The next call tries again.
    })
    return found
  }
}
