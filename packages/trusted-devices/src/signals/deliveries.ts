import { withTimeout } from '@quillgate/server/core'
import type { ReceiverFailure } from './receivers.ts'

/**
 * Seconds that a receiver may take before nothing waits for it any longer: `cleanup`, the command
 * line, `close`.
 */
export const RECEIVER_DEADLINE = 60

/** The result of waiting for receivers. */
export interface Settled {
  /** Receivers that still run. */
  readonly unfinished: readonly ReceiverFailure[]
  /**
   * Events that no receiver got, because `users.findById` failed at each attempt; at most 1,000.
   * Each event is returned once.
   */
  readonly lost: readonly ReceiverFailure[]
}

interface Entry {
  readonly done: Promise<unknown>
  readonly where: ReceiverFailure | null
  readonly since: number
}

const MOST_LOST = 1000 // Events that are kept for `settle`. The log names all of them.

/** The deliveries of this process that are under way. */
export class Deliveries {
  readonly #running = new Set<Entry>()
  #lost: ReceiverFailure[] = []

  /** @param where null for work that is not reported, because it starts receivers that are added */
  add(done: Promise<unknown>, where: ReceiverFailure | null): void {
    const entry = { done, where, since: performance.now() }
    this.#running.add(entry)
    void done.then(() => this.#running.delete(entry))
  }

  /** Keeps an event that was not delivered, until `settle` returns it. */
  addLost(where: ReceiverFailure): void {
    if (this.#lost.length < MOST_LOST) this.#lost.push(where)
  }

  /** Returns whether a receiver runs that has passed its deadline. */
  isStuck(): boolean {
    return [...this.#running].some(isOverdue)
  }

  /**
   * Waits until all are done, except those that have passed their deadline.
   *
   * @param seconds the longest wait; 0: none
   */
  async settle(seconds: number): Promise<Settled> {
    const end = performance.now() + seconds * 1000
    for (;;) {
      const left = end - performance.now()
      const waited = [...this.#running].filter((entry) => !isOverdue(entry))
      if (waited.length === 0 || left <= 0) break
      // Repeats, because the end of one may start another one.
      await withTimeout(left / 1000, Promise.all(waited.map(({ done }) => done)), () => null)
    }
    const unfinished = [...this.#running].flatMap(({ where }) => where ?? [])
    return { unfinished, lost: this.#lost.splice(0) }
  }
}

function isOverdue({ since }: Entry): boolean {
  return performance.now() - since >= RECEIVER_DEADLINE * 1000
}
