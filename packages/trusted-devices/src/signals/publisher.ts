import { withTimeout } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeletedUser, User } from '../devices/users.ts'
import { type DeliverOptions, deliver, type ReceiverFailure } from './deliver.ts'
import { createDeliveries, type Deliveries, RECEIVER_DEADLINE, type Settled } from './deliveries.ts'
import { type Dispatcher, deliveryOf } from './dispatcher.ts'
import { findOwner, type OwnerLookup } from './find-owner.ts'
import { SIGNAL_OF } from './signal-names.ts'

/** How {@link createPublisher} works. */
export interface PublisherOptions
  extends OwnerLookup,
    Pick<DeliverOptions, 'timeout' | 'onReceiverError' | 'onSlowReceiver'> {
  readonly dispatcher: Dispatcher
  /**
   * Called for events of one user that no receiver gets, because their owner was not found in time.
   */
  readonly onLost: (events: readonly DeviceEvent[], error: unknown) => void
  /** Called for receivers that `close` no longer waits for. */
  readonly onUnfinished: (receivers: readonly ReceiverFailure[]) => void
  /** Seconds that `publishFully` waits for receivers. @default 60 */
  readonly deadline?: number
}

/**
 * Publishes the events of one user. Never rejects. @param user the owner, if the caller has them
 */
export type Publish = (events: readonly DeviceEvent[], user?: User | DeletedUser) => Promise<void>

/** Publishes events to receivers. */
export interface Publisher {
  /** Waits for receivers as long as an answer may: `receiverTimeout`. */
  readonly publish: Publish
  /**
   * Waits until receivers are done, at most for the deadline. For work on many users that no answer
   * waits for.
   */
  readonly publishFully: Publish
  /**
   * Waits for receivers that were left running.
   *
   * @param seconds the longest wait
   */
  settle(seconds: number): Promise<Settled>
  /** Settles, and then gives up events that still wait for their owner. */
  close(seconds: number): Promise<void>
}

/** Creates the publisher that calls receivers directly, without the outbox. */
export function createPublisher(options: PublisherOptions): Publisher {
  return new DirectPublisher(options)
}

class DirectPublisher implements Publisher {
  readonly #options: PublisherOptions
  /** Seconds. */
  readonly #deadline: number
  readonly #deliveries: Deliveries
  readonly #closing = new AbortController()
  /** Events that wait for their owner. */
  readonly #ownerless = new Set<readonly DeviceEvent[]>()

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#deadline = options.deadline ?? RECEIVER_DEADLINE
    this.#deliveries = createDeliveries(this.#deadline)
  }

  readonly publish: Publish = (events, user) => this.#send(this.#options.timeout, events, user)

  // If a receiver hangs, the others must not wait for the deadline each time.
  readonly publishFully: Publish = (events, user) =>
    this.#send(this.#deliveries.isStuck() ? this.#options.timeout : this.#deadline, events, user)

  settle(seconds: number): Promise<Settled> {
    return this.#deliveries.settle(seconds)
  }

  async close(seconds: number): Promise<void> {
    await this.settle(seconds)
    this.#closing.abort()
    const late = new Error(`users.findById gave no answer before close() had waited ${seconds} s.`)
    for (const events of this.#ownerless) this.#lose(events, late)
    const { unfinished } = await this.settle(0)
    if (unfinished.length > 0) this.#options.onUnfinished(unfinished)
  }

  /** @param patience seconds */
  async #send(
    patience: number,
    events: readonly DeviceEvent[],
    user?: User | DeletedUser,
  ): Promise<void> {
    const [first] = events
    if (!first) return
    if (user) return this.#deliver(patience, events, user)
    const found = this.#findOwner(events, first.userId)
    this.#deliveries.add(found, whereOf(first))
    // An answer waits no longer for the owner than for receivers. The signals then follow it.
    const delivered = found.then((owner) => this.#deliver(patience, events, owner))
    await withTimeout(patience, delivered, () => null)
  }

  #deliver(
    patience: number,
    events: readonly DeviceEvent[],
    owner: User | DeletedUser | null,
  ): Promise<void> {
    const { dispatcher, timeout, onReceiverError, onSlowReceiver } = this.#options
    const deliveries =
      owner === null ? [] : events.map((event) => deliveryOf(event, owner, dispatcher))
    const delivered = deliver(deliveries, {
      timeout: patience,
      slowAfter: timeout,
      onReceiverError,
      onSlowReceiver,
      onStarted: this.#deliveries.add,
    })
    this.#deliveries.add(delivered, null)
    return delivered
  }

  /** Finds the owner of events. @returns null if the events are lost */
  async #findOwner(
    events: readonly DeviceEvent[],
    userId: string,
  ): Promise<User | DeletedUser | null> {
    this.#ownerless.add(events)
    try {
      const owner = await findOwner(this.#options, userId, this.#closing.signal)
      return this.#ownerless.delete(events) ? owner : null
    } catch (error) {
      this.#lose(events, error)
      return null
    }
  }

  #lose(events: readonly DeviceEvent[], error: unknown): void {
    if (!this.#ownerless.delete(events)) return // They are lost already.
    for (const event of events) this.#deliveries.addLost(whereOf(event))
    this.#options.onLost(events, error)
  }
}

/** Returns the name of an event for reports. */
export function whereOf({ kind, eventId }: DeviceEvent): ReceiverFailure {
  return { signal: SIGNAL_OF[kind], receiverId: null, eventId }
}
