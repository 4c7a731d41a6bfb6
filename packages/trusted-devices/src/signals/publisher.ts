import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '@quillgate/server/core'
import type { EventOutlet } from '../devices/changes.ts'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { Delivery, Settled } from './deliveries.ts'
import type { Dispatcher, DispatcherOptions, Owner } from './dispatcher.ts'
import { SIGNAL_OF } from './signals.ts'

/** Delivers events that are kept in the database. */
export interface StoredDelivery {
  /** Delivers new events of one user, in order. The promise never rejects. */
  deliverNew(events: readonly DeviceEvent[]): Promise<void>
  /** Stops further deliveries. Resolves when the current deliveries are done. */
  stop(): Promise<void>
}

interface PublisherOptions
  extends Pick<DispatcherOptions, 'deliveries' | 'receiverTimeout' | 'logger'> {
  readonly dispatcher: Pick<Dispatcher, 'call' | 'findOwner'>
  /** The outbox. If null, events are not stored, and receivers are called directly. */
  readonly outbox: StoredDelivery | null
  /** The pauses in seconds between attempts to look up an owner. */
  readonly pauses?: readonly number[]
}

const PAUSES: readonly number[] = [0.25, 1, 4, 16]

/** Publishes events, and waits for their receivers. */
export class Publisher implements EventOutlet {
  readonly #options: PublisherOptions

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  async publish(events: readonly DeviceEvent[], owner: Owner | null = null): Promise<void> {
    await this.publishWithin(this.#options.receiverTimeout, events, owner)
  }

  async publishWithin(
    seconds: number,
    events: readonly DeviceEvent[],
    owner: Owner | null = null,
  ): Promise<boolean> {
    if (events.length === 0) return true
    const { outbox, deliveries } = this.#options
    const delivered = outbox
      ? outbox.deliverNew(events).then(() => true)
      : this.#deliver(seconds, events, owner)
    deliveries.add(delivered, null)
    return withTimeout(seconds, delivered, () => false)
  }

  settle(seconds: number): Promise<Settled> {
    return this.#options.deliveries.settle(seconds)
  }

  /** Stops the outbox, and logs receivers that have not finished after `seconds`. */
  async close(seconds: number): Promise<void> {
    const { outbox, logger } = this.#options
    const stopped = Promise.all([outbox?.stop(), this.settle(seconds)])
    await withTimeout(seconds, stopped, () => null)
    const { unfinished } = await this.settle(0)
    for (const { signal, receiverId, eventId } of unfinished) {
      const receiver = receiverId === null ? '' : ` (${receiverId})`
      const text = `A receiver of ${signal}${receiver} has not finished. close() no longer waits for this receiver.`
      logger.warn(`${text} Event ${eventId}.`)
    }
  }

  /**
   * Calls the receivers of the first event, waits for them, then continues with the next event.
   * After `seconds`, calls the remaining receivers without waiting. Returns false if a receiver
   * takes longer.
   */
  async #deliver(
    seconds: number,
    events: readonly DeviceEvent[],
    owner: Owner | null,
  ): Promise<boolean> {
    const found = owner ?? (await this.#findOwner(events))
    if (!found) return true // No receiver is running, because the events are lost.
    const end = performance.now() + seconds * 1000
    let areDone = true
    for (const event of events) {
      const called = this.#options.dispatcher.call(event, found).then(() => true)
      const left = (end - performance.now()) / 1000
      areDone = left > 0 && (await withTimeout(left, called, () => false)) && areDone
    }
    return areDone
  }

  /** Returns the owner of events, or null if the lookup failed and the events are lost. */
  #findOwner(events: readonly DeviceEvent[]): Promise<Owner | null> {
    const [first] = events
    if (!first) return Promise.resolve(null)
    const found = this.#findOwnerWithRetries(first).catch((error: unknown) => {
      this.#lose(events, error)
      return null
    })
    this.#options.deliveries.add(found, deliveryOf(first))
    return found
  }

  async #findOwnerWithRetries(event: DeviceEvent): Promise<Owner> {
    const { dispatcher, pauses = PAUSES } = this.#options
    for (const pause of pauses) {
      try {
        return await dispatcher.findOwner(event)
      } catch {
        await sleep(pause * 1000, undefined, { ref: false })
      }
    }
    return dispatcher.findOwner(event)
  }

  #lose(events: readonly DeviceEvent[], error: unknown): void {
    const { deliveries, logger } = this.#options
    for (const event of events) {
      const { kind, device, userId, eventId } = event
      deliveries.addLost(deliveryOf(event))
      logger.error(
        `The event ${eventId} is lost: ${SIGNAL_OF[kind]} of device ${device.uid}, user ${userId}. ` +
          'users.findById failed at each attempt. To keep events until they are delivered, set outbox to true.',
        error,
      )
    }
  }
}

function deliveryOf({ kind, eventId }: DeviceEvent): Delivery {
  return { signal: SIGNAL_OF[kind], receiverId: null, eventId }
}
