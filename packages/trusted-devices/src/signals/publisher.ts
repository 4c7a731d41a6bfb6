import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeletedUser, User, UserDirectory } from '../devices/users.ts'
import { Deliveries, RECEIVER_DEADLINE, type Settled } from './deliveries.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { ReceiverReports } from './receiver-reports.ts'
import { deliver, type ReceiverFailure } from './receivers.ts'
import { SIGNAL_OF } from './signals.ts'

/** The owner of an event. */
export type Owner = User | DeletedUser

/** Publishes the events of one user. Never rejects. @param user the owner, if the caller has them */
export type Publish = (events: readonly DeviceEvent[], user?: Owner) => Promise<void>

/** Publishes events to receivers. */
export interface Publisher {
  /** Waits for receivers as long as an answer may: `receiverTimeout`. */
  readonly publish: Publish
  /**
   * Waits until receivers are done, at most for the deadline. For work on many users that no answer
   * waits for.
   */
  readonly publishFully: Publish
  /** Waits for receivers that were left running. @param seconds the longest wait */
  settle(seconds: number): Promise<Settled>
  /** Settles, and then gives up events that still wait for their owner. */
  close(seconds: number): Promise<void>
}

/** The options of {@link createPublisher}. */
export interface PublisherOptions extends Omit<ReceiverReports, 'onReceiverError'> {
  readonly dispatcher: Pick<Dispatcher, 'call'>
  readonly users: Pick<UserDirectory, 'find' | 'deleted'>
  /** The setting `receiverTimeout`, in seconds. */
  readonly timeout: number
  /** Seconds before each further attempt to find an owner. */
  readonly pauses?: readonly number[]
}

const FIND_TIMEOUT = 10 // Seconds of one attempt to find an owner.
const PAUSES: readonly number[] = [0.25, 1, 4, 16]

/** Creates the publisher that calls receivers directly, without the outbox. */
export function createPublisher(options: PublisherOptions): Publisher {
  return new DirectPublisher(options)
}

class DirectPublisher implements Publisher {
  readonly #options: PublisherOptions
  readonly #deliveries = new Deliveries()
  readonly #closing = new AbortController()
  /** Events that wait for their owner. */
  readonly #ownerless = new Set<readonly DeviceEvent[]>()

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  readonly publish: Publish = (events, user) => this.#send(this.#options.timeout, events, user)

  // If a receiver hangs, the others must not wait for the deadline each time.
  readonly publishFully: Publish = (events, user) =>
    this.#send(this.#deliveries.isStuck() ? this.#options.timeout : RECEIVER_DEADLINE, events, user)

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
  async #send(patience: number, events: readonly DeviceEvent[], user?: Owner): Promise<void> {
    const [first] = events
    if (!first) return
    if (user) return this.#deliver(patience, events, user)
    const found = this.#findOwner(events, first.userId)
    this.#deliveries.add(found, whereOf(first))
    // An answer waits no longer for the owner than for receivers. The signals then follow it.
    const delivered = found.then((owner) => owner && this.#deliver(patience, events, owner))
    await withTimeout(patience, delivered, () => null)
  }

  #deliver(patience: number, events: readonly DeviceEvent[], owner: Owner): Promise<void> {
    const { dispatcher, timeout, onSlowReceiver } = this.#options
    const delivered = deliver(
      events.map((event) => () => dispatcher.call(event, owner)),
      {
        ...{ timeout: patience, slowAfter: timeout, onSlowReceiver },
        onStarted: ({ done, where }) => this.#deliveries.add(done, where),
      },
    )
    this.#deliveries.add(delivered, null)
    return delivered
  }

  /**
   * Finds the owner of events. While the users' database fails, asks again after each pause.
   *
   * @returns null if the events are lost
   */
  async #findOwner(events: readonly DeviceEvent[], userId: string): Promise<Owner | null> {
    const { users, pauses = PAUSES } = this.#options
    const { signal } = this.#closing
    this.#ownerless.add(events)
    for (let attempt = 0; ; attempt++) {
      try {
        const owner = await findOwner(users, userId, FIND_TIMEOUT)
        return this.#ownerless.delete(events) ? owner : null
      } catch (error) {
        const pause = pauses[attempt]
        if (pause === undefined || signal.aborted) {
          this.#lose(events, error)
          return null
        }
        await sleep(pause * 1000, undefined, { signal }).catch(() => {})
      }
    }
  }

  #lose(events: readonly DeviceEvent[], error: unknown): void {
    if (!this.#ownerless.delete(events)) return // They are lost already.
    for (const event of events) this.#deliveries.addLost(whereOf(event))
    this.#options.onLost(events, error)
  }
}

/**
 * Asks once for the owner of an event. Only an answer of the users' database makes a user a deleted
 * one.
 *
 * @throws the error of `users.findById`, or that it gave no answer in time
 */
export async function findOwner(
  users: PublisherOptions['users'],
  userId: string,
  timeout: number,
): Promise<Owner> {
  const late = (): never => {
    throw new Error(`users.findById gave no answer within ${timeout} s.`)
  }
  return (await withTimeout(timeout, users.find(userId), late)) ?? users.deleted(userId)
}

/** Returns the name of an event for reports. */
export function whereOf({ kind, eventId }: DeviceEvent): ReceiverFailure {
  return { signal: SIGNAL_OF[kind], receiverId: null, eventId }
}
