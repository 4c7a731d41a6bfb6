import type { DeviceEvent } from '../devices/device-event.ts'
import { TrustedDevice, unregistered } from '../devices/trusted-device.ts'
import type { DeletedUser, User } from '../devices/users.ts'
import { type Delivery, toDelivery } from './deliver.ts'
import type { EventPayload, EventSender } from './payloads.ts'
import type { Signal } from './signal.ts'
import type { DeviceSignals } from './signals.ts'

/** Who tells events to whom. */
export interface Dispatcher {
  /** The instance, which is created after the dispatcher. */
  readonly sender: () => EventSender
  /** The instance's own signals. */
  readonly own: DeviceSignals
  /** Those of all instances; their receivers hear after the own ones. */
  readonly bus: DeviceSignals
}

/** An event as the event of its signal. */
export function deliveryOf(
  event: DeviceEvent,
  owner: User | DeletedUser,
  { sender, own, bus }: Dispatcher,
): Delivery {
  const { eventId, at, actor, device } = event
  const common: EventPayload = { sender: TrustedDevice, instance: sender(), eventId, at, actor }
  const deviceUid = device.uid
  // Only a login creates devices, and its user exists.
  const user = owner as User
  switch (event.kind) {
    case 'created':
      return toDelivery([own.deviceCreated, bus.deviceCreated], {
        ...common,
        user,
        device,
        returning: event.returning,
        isFirst: event.isFirst,
        suspicious: event.suspicious,
        reason: event.reason,
      })
    case 'suspicious':
      return toDelivery([own.suspiciousLogin, bus.suspiciousLogin], {
        ...common,
        user,
        device,
        previousCountries: new Set(event.previousCountries),
        reason: event.reason,
      })
    case 'revoked':
      return toDelivery([own.deviceRevoked, bus.deviceRevoked], {
        ...common,
        user: owner,
        deviceUid,
        device,
        reason: event.reason,
        sessionId: event.sessionId,
      })
    case 'compromised':
      return toDelivery([own.deviceCompromised, bus.deviceCompromised], {
        ...common,
        user: owner,
        deviceUid,
        device,
        reason: event.reason,
      })
    case 'refused':
      return toDelivery([own.loginRefused, bus.loginRefused], {
        ...common,
        user,
        device: unregistered(device),
        reason: event.reason,
      })
  }
}

/** Returns whether any receiver is connected. */
export function hasReceivers({ own, bus }: Dispatcher): boolean {
  const signals: readonly Pick<Signal<never>, 'connections'>[] = [own, bus].flatMap((each) =>
    Object.values(each),
  )
  return signals.some((signal) => signal.connections(TrustedDevice).length > 0)
}
