import type { DeviceSignals } from '@quillgate/trusted-devices/signals'
import type { SignalName } from '../../src/signals/signals.ts'

export interface ReceivedEvent {
  readonly eventId: string
  readonly signal: SignalName
  readonly uid: string
  readonly userId: string
  readonly reason: string
  readonly actor: string | null
  readonly country: string | null
  /** True for a new device if `suspicious_login` follows. */
  readonly suspicious: boolean
  readonly at: string
}

export function connectAll(
  signals: DeviceSignals,
  receive: (received: ReceivedEvent) => unknown,
): void {
  for (const signal of [
    signals.deviceCreated,
    signals.deviceRevoked,
    signals.suspiciousLogin,
    signals.deviceCompromised,
  ]) {
    const { name } = signal
    // All payloads have these properties.
    const connect = signal.connect.bind(signal) as unknown as (
      receiver: (payload: CommonPayload) => unknown,
    ) => void
    connect(({ eventId, at, reason, actor, device, user, suspicious = false }) =>
      receive({
        ...{ eventId, reason, actor, signal: name as SignalName, at: at.toISOString() },
        ...{ uid: device.uid, userId: String(user.id), country: device.country, suspicious },
      }),
    )
  }
}

interface CommonPayload {
  readonly eventId: string
  readonly at: Date
  readonly reason: string
  readonly actor: string | null
  readonly suspicious?: boolean
  readonly user: { readonly id: string | number }
  readonly device: { readonly uid: string; readonly country: string | null }
}
