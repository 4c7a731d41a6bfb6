import type { DeviceFact } from './devices/facts.ts'
import type { DeviceOperations } from './devices/instance.ts'
import { TrustedDevice } from './devices/trusted-device.ts'
import type { DeletedUser, User } from './devices/user.ts'
import { type DeliverOptions, type Delivery, deliver, toDelivery } from './signals/deliver.ts'
import type { EventPayload } from './signals/payloads.ts'
import { type DeviceSignals, signalBus } from './signals/signals.ts'

/** How {@link createPublisher} works. */
export interface PublisherOptions extends Omit<DeliverOptions, 'onStarted'> {
  readonly instance: DeviceOperations
  /** The instance's own signals; the bus hears after them. */
  readonly signals: DeviceSignals
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
export function createPublisher({ instance, signals, findUser, ...options }: PublisherOptions): Publisher {
  const bus = signalBus()
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
        const deliveries = facts.map((fact) => toDeliveryOf(fact, owner, instance, signals, bus))
        return deliver(deliveries, { ...options, onStarted })
      }
      if (user) return tell(user)
      // An answer waits no longer for the owner than for receivers; the signals then follow it.
      const found = within(OWNER_PATIENCE, findOwner(findUser, first.userId), { id: first.userId })
      const owner = await within(options.timeout, found, null)
      if (owner) await tell(owner)
      else onStarted(found.then(tell))
    },
    async settle(seconds) {
      if (running.size === 0) return
      await within(seconds, Promise.all(running), null)
    },
  }
}

const OWNER_PATIENCE = 10 // Seconds after which a signal is sent without its owner.

/** What a promise gives, or `late` when it takes longer. */
async function within<Value, Late>(seconds: number, value: Promise<Value>, late: Late): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  const timer = setTimeout(() => resolve(late), seconds * 1000)
  try {
    return await Promise.race([value, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A signal is sent whatever happens to the users' database. */
async function findOwner(findUser: PublisherOptions['findUser'], userId: string): Promise<User | DeletedUser> {
  try {
    return (await findUser(userId)) ?? { id: userId }
  } catch {
    return { id: userId }
  }
}

function toDeliveryOf(
  fact: DeviceFact,
  owner: User | DeletedUser,
  instance: DeviceOperations,
  own: DeviceSignals,
  bus: DeviceSignals,
): Delivery {
  const { eventId, at, actor, device } = fact
  const event: EventPayload = { sender: TrustedDevice, instance, eventId, at, actor }
  const deviceUid = device.uid
  // Only a login makes devices, and it knows its user.
  const user = owner as User
  switch (fact.kind) {
    case 'created':
      return toDelivery([own.deviceCreated, bus.deviceCreated], {
        ...event,
        user,
        device,
        returning: fact.returning,
        suspicious: fact.suspicious,
        reason: fact.reason,
      })
    case 'suspicious':
      return toDelivery([own.suspiciousLogin, bus.suspiciousLogin], {
        ...event,
        user,
        device,
        previousCountries: new Set(fact.previousCountries),
        reason: fact.reason,
      })
    case 'revoked':
      return toDelivery([own.deviceRevoked, bus.deviceRevoked], {
        ...event,
        user: owner,
        deviceUid,
        device,
        reason: fact.reason,
        sessionId: fact.sessionId,
      })
    case 'compromised':
      return toDelivery([own.deviceCompromised, bus.deviceCompromised], {
        ...event,
        user: owner,
        deviceUid,
        device,
        reason: fact.reason,
      })
  }
}
