import { RECEIVER_DEADLINE } from '../../settings.ts'
import type { EventOutlet } from '../changes.ts'
import type { DeviceEvent } from '../device-event.ts'

type Outlet = Pick<EventOutlet, 'publishWithin'>

const USERS_AT_ONCE = 20
const SHORT_WAIT = 1 // Seconds for which a slot waits after a receiver missed the deadline.

/**
 * Publishes the events of many users. There are 20 slots. Each slot publishes the events of one
 * user at a time. Other events wait in memory, so that revocations do not wait for receivers.
 */
export class PacedPublication {
  readonly #outlet: Outlet
  readonly #waiting = new Set<readonly DeviceEvent[]>()
  readonly #running = new Set<Promise<void>>()
  /** The seconds for which each free slot waits for the receivers of one user. */
  readonly #slots: number[]

  constructor(outlet: Outlet) {
    this.#outlet = outlet
    this.#slots = Array.from({ length: USERS_AT_ONCE }, () => RECEIVER_DEADLINE)
  }

  add(events: readonly DeviceEvent[]): void {
    if (events.length === 0) return
    this.#waiting.add(events)
    const wait = this.#slots.pop()
    if (wait === undefined) return
    const running = this.#publishWaiting(wait).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /**
   * Waits until all events are published. Waits at most {@link RECEIVER_DEADLINE} seconds for the
   * receivers of each user.
   */
  async done(): Promise<void> {
    await Promise.all(this.#running)
  }

  /**
   * Publishes all waiting events in one slot. If receivers hang, the slot waits for the full
   * deadline only once, not for every user.
   */
  async #publishWaiting(longest: number): Promise<void> {
    let wait = longest
    for (const events of this.#waiting) {
      this.#waiting.delete(events)
      if (!(await this.#outlet.publishWithin(wait, events))) wait = SHORT_WAIT
    }
    this.#slots.push(wait)
  }
}
