import { withTimeout } from '@quillgate/server/core'
import { RECEIVER_DEADLINE } from '../settings.ts'

/** An event, and the receiver to which the event was sent. */
export interface Delivery {
  /** The name of the signal, for example `device_created`. */
  readonly signal: string
  /** The `id` that was passed to `connect`, or null. */
  readonly receiverId: string | null
  readonly eventId: string
}

/** The result of waiting for receivers. */
export interface Settled {
  /** Receivers and lookups of users that have not finished. */
  readonly unfinished: readonly Delivery[]
  /**
   * Events that were sent to no receiver, because `users.findById` failed at each attempt. Contains
   * at most 1,000 events. Each event is returned once.
   */
  readonly lost: readonly Delivery[]
}

interface Entry {
  readonly done: Promise<unknown>
  readonly delivery: Delivery | null
  readonly since: number
}

// The maximum number of lost events that `settle` returns. The log contains all lost events.
const MOST_LOST = 1000

/** The deliveries of this process that are in progress. */
export class Deliveries {
  readonly #running = new Set<Entry>()
  #lost: Delivery[] = []

  /** @param delivery null for work that only starts deliveries. Such work is not reported. */
  add(done: Promise<unknown>, delivery: Delivery | null): void {
    const entry = { done, delivery, since: performance.now() }
    this.#running.add(entry)
    void done.then(() => this.#running.delete(entry))
  }

  addLost(delivery: Delivery): void {
    if (this.#lost.length < MOST_LOST) this.#lost.push(delivery)
  }

  /**
   * Waits at most `seconds` for running deliveries. Does not wait for deliveries that exceeded
   * their deadline, but returns them as unfinished.
   */
  async settle(seconds: number): Promise<Settled> {
    const end = performance.now() + seconds * 1000
    for (;;) {
      const now = performance.now()
      const left = end - now
      const waited = [...this.#running].filter(
        ({ since }) => now - since < RECEIVER_DEADLINE * 1000,
      )
      if (waited.length === 0 || left <= 0) break
      // The loop repeats, because a delivery that ends may start another delivery.
      await withTimeout(left / 1000, Promise.all(waited.map(({ done }) => done)), () => null)
    }
    const unfinished = [...this.#running].flatMap(({ delivery }) => delivery ?? [])
    return { unfinished, lost: this.#lost.splice(0) }
  }
}
