import type { DeviceEvent } from '../devices/device-event.ts'
import { TrustedDevice, unregistered } from '../devices/trusted-device.ts'
import type { DeletedUser, User } from '../devices/users.ts'
import type { EventPayload, EventSender } from './payloads.ts'
import { callReceivers, type ReceiverCall, type ReceiverFailure } from './receivers.ts'
import type { Signal } from './signal.ts'
import type { DeviceSignals } from './signals.ts'

/** The options of a {@link Dispatcher}. */
export interface DispatcherOptions {
  /** Returns the instance, which is created later. */
  readonly sender: () => EventSender
  /** The signals of the instance. */
  readonly own: DeviceSignals
  /** The signals of all instances. Their receivers are called after the others. */
  readonly bus: DeviceSignals
  /** Called for each receiver that throws or rejects, however late. */
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
}

/** Sends device events to the receivers of this process. */
export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Returns whether any receiver is connected. */
  hasReceivers(): boolean {
    const { own, bus } = this.#options
    const signals: readonly Pick<Signal<never>, 'connections'>[] = [own, bus].flatMap((each) =>
      Object.values(each),
    )
    return signals.some((signal) => signal.connections(TrustedDevice).length > 0)
  }

  /** Calls the receivers of an event side by side. */
  call(event: DeviceEvent, owner: User | DeletedUser): ReceiverCall[] {
    const common = { sender: TrustedDevice, instance: this.#options.sender() }
    const user = owner as User // Only a login creates devices, and its user exists.
    const { device } = event
    const ended = { ...common, user: owner, deviceUid: device.uid }
    switch (event.kind) {
      case 'created':
        return this.#send(({ deviceCreated }) => deviceCreated, {
          ...common,
          ...membersOf(event),
          user,
        })
      case 'suspicious': {
        const previousCountries = new Set(event.previousCountries)
        const payload = { ...common, ...membersOf(event), user, previousCountries }
        return this.#send(({ suspiciousLogin }) => suspiciousLogin, payload)
      }
      case 'revoked':
        return this.#send(({ deviceRevoked }) => deviceRevoked, { ...ended, ...membersOf(event) })
      case 'compromised':
        return this.#send(({ deviceCompromised }) => deviceCompromised, {
          ...ended,
          ...membersOf(event),
        })
      case 'refused': {
        const payload = { ...common, ...membersOf(event), user, device: unregistered(device) }
        return this.#send(({ loginRefused }) => loginRefused, payload)
      }
    }
  }

  #send<Payload extends EventPayload>(
    pick: (signals: DeviceSignals) => Signal<Payload>,
    payload: Payload,
  ): ReceiverCall[] {
    const { own, bus, onReceiverError } = this.#options
    return callReceivers([pick(own), pick(bus)], payload, onReceiverError)
  }
}

function membersOf<Event extends DeviceEvent>({ kind: _, userId: __, ...members }: Event) {
  return members
}
