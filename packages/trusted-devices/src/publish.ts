import type { DeviceFact } from './devices/facts.ts'
import type { DeletedUser, User } from './devices/user.ts'
import type { Outbox } from './outbox/outbox.ts'
import { type DeliverOptions, deliver } from './signals/deliver.ts'
import { deliveryOf, type Teller } from './signals/fact-delivery.ts'
import { within } from './within.ts'

/** How {@link createPublisher} works. */
export interface PublisherOptions extends Omit<DeliverOptions, 'onStarted'> {
  readonly teller: Teller
  /** The owner of a device, or null. */
  readonly findUser: (userId: string) => Promise<User | null>
}

/** Tells facts of one user to receivers. Never rejects. @param user the owner, when the caller has them at hand */
export type Publish = (facts: readonly DeviceFact[], user?: User | DeletedUser) => Promise<void>

/** What tells facts. */
export interface Publisher {
  readonly publish: Publish
  /** Waits for receivers that were left running. @param seconds the longest wait */
  settle(seconds: number): Promise<void>
}

/** Joins facts, which know of no listener, with signals, which know of no registry. */
export function createPublisher({ teller, findUser, ...options }: PublisherOptions): Publisher {
  const running = new Set<Promise<void>>()
  const onStarted = (done: Promise<void>): void => {
    running.add(done)
    void done.then(() => running.delete(done))
  }
  return {
    async publish(facts, user) {
      const [first] = facts
      if (!first) return
      const tell = (owner: User | DeletedUser): Promise<void> => {
        const deliveries = facts.map((fact) => deliveryOf(fact, owner, teller))
        return deliver(deliveries, { ...options, onStarted })
      }
      if (user) return tell(user)
      // An answer waits no longer for the owner than for receivers; the signals then follow it.
      const found = within(OWNER_PATIENCE, findOwner(findUser, first.userId), () => ({ id: first.userId }))
      const owner = await within(options.timeout, found, () => null)
      if (owner) await tell(owner)
      else onStarted(found.then(tell))
    },
    async settle(seconds) {
      if (running.size === 0) return
      await within(seconds, Promise.all(running), () => null)
    },
  }
}

/** A publisher that leaves the delivery to the outbox, and waits for it as long as an answer may wait for receivers. */
export function createOutboxPublisher(outbox: Outbox, timeout: number): Publisher {
  return {
    publish: (facts, user) => within(timeout, outbox.deliverFresh(facts, user), () => undefined),
    async settle(seconds) {
      outbox.stop()
      await within(seconds, outbox.settle(), () => undefined)
    },
  }
}

const OWNER_PATIENCE = 10 // Seconds after which a signal is sent without its owner.

/** A signal is sent whatever happens to the users' database. */
async function findOwner(findUser: PublisherOptions['findUser'], userId: string): Promise<User | DeletedUser> {
  try {
    return (await findUser(userId)) ?? { id: userId }
  } catch {
    return { id: userId }
  }
}
