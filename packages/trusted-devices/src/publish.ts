import { createDeliveries, RECEIVER_DEADLINE, type Settled } from './deliveries.ts'
import type { DeviceFact } from './devices/facts.ts'
import type { DeletedUser, User } from './devices/user.ts'
import { findOwner, type OwnerLookup } from './find-owner.ts'
import type { Outbox } from './outbox/outbox.ts'
import { type DeliverOptions, deliver, type ReceiverFailure } from './signals/deliver.ts'
import { deliveryOf, type Teller } from './signals/fact-delivery.ts'
import { SIGNAL_OF } from './signals/signal-names.ts'
import { within } from './within.ts'

/** How {@link createPublisher} works. */
export interface PublisherOptions
  extends OwnerLookup,
    Pick<DeliverOptions, 'timeout' | 'onReceiverError' | 'onSlowReceiver'> {
  readonly teller: Teller
  /** Called for events of one user that no receiver gets, because their owner was not found in time. */
  readonly onLost: (facts: readonly DeviceFact[], error: unknown) => void
  /** Called for receivers that `close` no longer waits for. */
  readonly onUnfinished: (receivers: readonly ReceiverFailure[]) => void
  /** Seconds that `publishFully` waits for receivers. @default 60 */
  readonly deadline?: number
}

/** Sends facts of one user to receivers. Never rejects. @param user the owner, when the caller has them at hand */
export type Publish = (facts: readonly DeviceFact[], user?: User | DeletedUser) => Promise<void>

/** Sends facts to receivers. */
export interface Publisher {
  /** Waits for receivers as long as an answer may: `receiverTimeout`. */
  readonly publish: Publish
  /** Waits until receivers are done, at most for the deadline. For work on many users that no answer waits for. */
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

/** Joins facts, which know of no listener, with signals, which know of no registry. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { teller, timeout, onReceiverError, onSlowReceiver, onLost, onUnfinished } = options
  const { deadline = RECEIVER_DEADLINE } = options
  const deliveries = createDeliveries(deadline)
  const closing = new AbortController()
  const ownerless = new Set<readonly DeviceFact[]>()

  function lose(facts: readonly DeviceFact[], error: unknown): void {
    if (!ownerless.delete(facts)) return // It was given up before.
    for (const fact of facts) deliveries.addLost(whereOf(fact))
    onLost(facts, error)
  }

  async function ownerOf(
    facts: readonly DeviceFact[],
    userId: string,
  ): Promise<User | DeletedUser | null> {
    ownerless.add(facts)
    try {
      const owner = await findOwner(options, userId, closing.signal)
      return ownerless.delete(facts) ? owner : null
    } catch (error) {
      lose(facts, error)
      return null
    }
  }

  /** @param patience seconds */
  async function send(
    patience: number,
    facts: readonly DeviceFact[],
    user?: User | DeletedUser,
  ): Promise<void> {
    const [first] = facts
    if (!first) return
    const dispatch = (owner: User | DeletedUser | null): Promise<void> => {
      const events = owner === null ? [] : facts.map((fact) => deliveryOf(fact, owner, teller))
      const onStarted = deliveries.add
      const delivered = deliver(events, {
        timeout: patience,
        slowAfter: timeout,
        onReceiverError,
        onSlowReceiver,
        onStarted,
      })
      deliveries.add(delivered, null)
      return delivered
    }
    if (user) return dispatch(user)
    const found = ownerOf(facts, first.userId)
    deliveries.add(found, whereOf(first))
    // An answer waits no longer for the owner than for receivers; the signals then follow it.
    const delivered = found.then(dispatch)
    await within(patience, delivered, () => null)
  }

  return {
    publish: (facts, user) => send(timeout, facts, user),
    // When a receiver hangs, the others must not wait for the deadline each time.
    publishFully: (facts, user) => send(deliveries.isStuck() ? timeout : deadline, facts, user),
    settle: deliveries.settle,
    async close(seconds) {
      await deliveries.settle(seconds)
      closing.abort()
      const late = new Error(
        `users.findById gave no answer before close() had waited ${seconds} s.`,
      )
      for (const facts of ownerless) lose(facts, late)
      const { unfinished } = await deliveries.settle(0)
      if (unfinished.length > 0) onUnfinished(unfinished)
    },
  }
}

/** A publisher that leaves the delivery to the outbox, and waits for it as long as an answer may wait for receivers. */
export function createOutboxPublisher(outbox: Outbox, timeout: number): Publisher {
  const deliveries = createDeliveries()
  const send = async (
    patience: number,
    facts: readonly DeviceFact[],
    user?: User | DeletedUser,
  ): Promise<void> => {
    const [first] = facts
    if (!first) return
    const delivered = outbox.deliverFresh(facts, user)
    deliveries.add(delivered, whereOf(first))
    await within(patience, delivered, () => undefined)
  }
  return {
    publish: (facts, user) => send(timeout, facts, user),
    publishFully: (facts, user) =>
      send(deliveries.isStuck() ? timeout : RECEIVER_DEADLINE, facts, user),
    settle: deliveries.settle,
    async close(seconds) {
      outbox.stop()
      await within(seconds, outbox.settle(), () => undefined)
    },
  }
}

function whereOf({ kind, eventId }: DeviceFact): ReceiverFailure {
  return { signal: SIGNAL_OF[kind], receiverId: null, eventId }
}
