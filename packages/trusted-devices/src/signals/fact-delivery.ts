import type { DeviceFact } from '../devices/facts.ts'
import { TrustedDevice, unregistered } from '../devices/trusted-device.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { type Delivery, toDelivery } from './deliver.ts'
import type { EventPayload, EventSender } from './payloads.ts'
import type { Signal } from './signal.ts'
import type { DeviceSignals } from './signals.ts'

/** Who tells facts to whom. */
export interface Teller {
  /** The instance, which is created after the dispatcher. */
  readonly sender: () => EventSender
  /** The instance's own signals. */
  readonly own: DeviceSignals
  /** Those of all instances; their receivers hear after the own ones. */
  readonly bus: DeviceSignals
}

/** A fact as the event of its signal. */
export function deliveryOf(
  fact: DeviceFact,
  owner: User | DeletedUser,
  { sender, own, bus }: Teller,
): Delivery {
  const { eventId, at, actor, device } = fact
  const event: EventPayload = { sender: TrustedDevice, instance: sender(), eventId, at, actor }
  const deviceUid = device.uid
  // Only a login creates devices, and its user exists.
  const user = owner as User
  switch (fact.kind) {
    case 'created':
      return toDelivery([own.deviceCreated, bus.deviceCreated], {
        ...event,
        user,
        device,
        returning: fact.returning,
        isFirst: fact.isFirst,
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
    case 'refused':
      return toDelivery([own.loginRefused, bus.loginRefused], {
        ...event,
        user,
        device: unregistered(device),
        reason: fact.reason,
      })
  }
}

/** Returns whether any receiver is connected. */
export function hasReceivers({ own, bus }: Teller): boolean {
  const signals: readonly Pick<Signal<never>, 'connections'>[] = [own, bus].flatMap((each) =>
    Object.values(each),
  )
  return signals.some((signal) => signal.connections(TrustedDevice).length > 0)
}
