import { type Logger, withTimeout } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import { TrustedDevice } from '../devices/tables/trusted-device.ts'
import type { DeletedUser, User, UserDirectory } from '../devices/users.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import type { Connection, Signal } from './signal.ts'
import type { DeviceSignals, EventPayload, EventSender } from './signals.ts'

/** The owner of an event. */
export type Owner = User | DeletedUser

/** The options of a {@link Dispatcher}. */
export interface DispatcherOptions {
  /** Returns the instance, which is created after the dispatcher. */
  readonly sender: () => EventSender
  readonly own: DeviceSignals
  /** The signals of all instances. Their receivers are called after those of `own`. */
  readonly bus: DeviceSignals
  readonly users: Pick<UserDirectory, 'find' | 'deleted'>
  readonly deliveries: Deliveries
  /** Seconds after which a receiver is reported as slow; 0: never. */
  readonly receiverTimeout: number
  readonly logger: Logger
}

const FIND_TIMEOUT = 10 // Seconds.

/** Sends device events to the receivers of this process. */
export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  hasReceivers(): boolean {
    const { own, bus } = this.#options
    return [own, bus]
      .flatMap((signals): Signal<never>[] => Object.values(signals))
      .some((signal) => signal.connections().length > 0)
  }

  /**
   * Looks up the owner of an event, without retries. Returns a {@link DeletedUser} if
   * `users.findById` found no user, or if the reason of the event is `user_deleted`. Rejects if
   * `users.findById` fails or is slow.
   */
  async findOwner(event: DeviceEvent): Promise<Owner> {
    const { users } = this.#options
    const { userId } = event
    if (event.kind === 'revoked' && event.reason === 'user_deleted') return users.deleted(userId)
    const late = (): never => {
      throw new Error(`users.findById did not finish within ${FIND_TIMEOUT} s.`)
    }
    return (await withTimeout(FIND_TIMEOUT, users.find(userId), late)) ?? users.deleted(userId)
  }

  /**
   * Calls the receivers of an event concurrently, and waits for all of them. Logs receivers that
   * fail or are slow. Returns one line for each receiver that failed. The promise never rejects.
   */
  call(event: DeviceEvent, owner: Owner): Promise<readonly string[]> {
    const common = { sender: TrustedDevice, instance: this.#options.sender() }
    // The cast assumes that the user still exists after the login.
    const created = { ...common, user: owner as User }
    const ended = { ...common, user: owner, deviceUid: event.device.uid }
    switch (event.kind) {
      case 'created':
        return this.#send((signals) => signals.deviceCreated, { ...created, ...detailsOf(event) })
      case 'suspicious': {
        const previousCountries = new Set(event.previousCountries)
        const payload = { ...created, ...detailsOf(event), previousCountries }
        return this.#send((signals) => signals.suspiciousLogin, payload)
      }
      case 'revoked':
        return this.#send((signals) => signals.deviceRevoked, { ...ended, ...detailsOf(event) })
      case 'compromised':
        return this.#send((signals) => signals.deviceCompromised, { ...ended, ...detailsOf(event) })
    }
  }

  async #send<Payload extends EventPayload>(
    choose: (signals: DeviceSignals) => Signal<Payload>,
    payload: Payload,
  ): Promise<readonly string[]> {
    const { own, bus } = this.#options
    const calls = [choose(own), choose(bus)].flatMap((signal) =>
      signal.connections().map((connection) => this.#callOne(signal.name, connection, payload)),
    )
    return (await Promise.all(calls)).filter((error) => error !== null)
  }

  /** Returns one line with the error of the receiver, or null. */
  #callOne<Payload extends EventPayload>(
    signal: string,
    { receiver, id }: Connection<Payload>,
    payload: Payload,
  ): Promise<string | null> {
    const { deliveries, logger } = this.#options
    const delivery: Delivery = { signal, receiverId: id, eventId: payload.eventId }
    const called = (async () => receiver(copyOf(payload)))()
    const done = called.then(
      () => null,
      (error: unknown) => {
        logger.error(`A receiver of ${named(delivery, 'failed')}.`, error)
        return `${id ?? 'a receiver'}: ${String(error)}`
      },
    )
    this.#reportIfSlow(done, delivery)
    deliveries.add(done, delivery)
    return done
  }

  #reportIfSlow(done: Promise<unknown>, delivery: Delivery): void {
    const { receiverTimeout, logger } = this.#options
    if (receiverTimeout === 0) return
    const spent = `it has not finished after ${receiverTimeout} s (receiverTimeout), and continues.`
    const report = (): void => logger.warn(`A receiver of ${named(delivery, 'is slow')}: ${spent}`)
    const timer = setTimeout(report, receiverTimeout * 1000).unref()
    void done.then(() => clearTimeout(timer))
  }
}

function detailsOf<Event extends DeviceEvent>({ kind: _, userId: __, ...properties }: Event) {
  return properties
}

/**
 * Returns a frozen copy of a payload with its own `Date` and `Set` objects, so that receivers
 * cannot change each other's data.
 */
function copyOf<Payload extends object>(payload: Payload): Payload {
  const properties = Object.entries(payload).map(([name, value]) => {
    if (value instanceof Date) return [name, new Date(value)]
    return [name, value instanceof Set ? new Set(value) : value]
  })
  return Object.freeze(Object.fromEntries(properties)) as Payload
}

function named({ signal, receiverId }: Delivery, predicate: string): string {
  return `${signal} ${predicate}${receiverId === null ? '' : ` (${receiverId})`}`
}
