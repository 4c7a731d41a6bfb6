import { withTimeout } from '@quillgate/server/core'
import type { ReceiverFailure } from './deliver.ts'

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

/** The deliveries of this process that are under way. */
export interface Deliveries {
  /**
   * @param where null for work that is only waited for, because it starts receivers that are added
   * themselves
   */
  add(done: Promise<unknown>, where: ReceiverFailure | null): void
  /** Keeps an event that was not delivered, until `settle` returns it. */
  addLost(where: ReceiverFailure): void
  /** True while a receiver runs that has passed its deadline. */
  isStuck(): boolean
  /**
   * Waits until all are done, except those that have passed their deadline.
   *
   * @param seconds the longest wait; 0: none
   */
  settle(seconds: number): Promise<Settled>
}

interface Entry {
  readonly done: Promise<unknown>
  readonly where: ReceiverFailure | null
  readonly since: number
}

const MOST_LOST = 1000 // Events that are kept for `settle`. The log names all of them.

/** Begins with none. @param deadline seconds */
export function createDeliveries(deadline: number = RECEIVER_DEADLINE): Deliveries {
  const running = new Set<Entry>()
  const lost: ReceiverFailure[] = []
  const isOverdue = ({ since }: Entry): boolean => performance.now() - since >= deadline * 1000
  return {
    add(done, where) {
      const entry = { done, where, since: performance.now() }
      running.add(entry)
      void done.then(() => running.delete(entry))
    },
    addLost(where) {
      if (lost.length < MOST_LOST) lost.push(where)
    },
    isStuck: () => [...running].some(isOverdue),
    async settle(seconds) {
      const end = performance.now() + seconds * 1000
      for (;;) {
        const left = end - performance.now()
        const waited = [...running].filter((entry) => !isOverdue(entry))
        if (waited.length === 0 || left <= 0) break
        // Repeats, because the end of one may start another one.
        await withTimeout(left / 1000, Promise.all(waited.map(({ done }) => done)), () => null)
      }
      return { unfinished: [...running].flatMap(({ where }) => where ?? []), lost: lost.splice(0) }
    },
  }
}
