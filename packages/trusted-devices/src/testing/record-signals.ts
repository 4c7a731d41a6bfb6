import type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  DeviceSignals,
  SuspiciousLogin,
} from '../signals/signals.ts'

/** A signal that was sent, by its name. */
export type RecordedSignal =
  | ({ readonly signal: 'device_created' } & DeviceCreated)
  | ({ readonly signal: 'device_revoked' } & DeviceRevoked)
  | ({ readonly signal: 'suspicious_login' } & SuspiciousLogin)
  | ({ readonly signal: 'device_compromised' } & DeviceCompromised)

/** A recording of the signals of an instance. */
export interface SignalRecorder {
  /** All of them, in order. */
  readonly events: readonly RecordedSignal[]
  /** Their names, in order. */
  names(): string[]
  /** Returns what was recorded so far and forgets it. */
  take(): RecordedSignal[]
  /** Stops the recording. */
  stop(): void
}

/**
 * Records the signals of an instance, or those of them that are given.
 *
 * @example
 * const recorder = recordSignals(devices.signals)
 * await devices.login(user, context, { transport: 'bearer' })
 * expect(recorder.names()).toEqual(['device_created'])
 */
export function recordSignals(signals: Partial<DeviceSignals>): SignalRecorder {
  const events: RecordedSignal[] = []
  const disconnects = [
    signals.deviceCreated?.connect((payload) =>
      events.push({ signal: 'device_created', ...payload }),
    ),
    signals.deviceRevoked?.connect((payload) =>
      events.push({ signal: 'device_revoked', ...payload }),
    ),
    signals.suspiciousLogin?.connect((payload) =>
      events.push({ signal: 'suspicious_login', ...payload }),
    ),
    signals.deviceCompromised?.connect((payload) =>
      events.push({ signal: 'device_compromised', ...payload }),
    ),
  ]
  return {
    events,
    names: () => events.map(({ signal }) => signal),
    take: () => events.splice(0),
    stop() {
      for (const disconnect of disconnects) disconnect?.()
    },
  }
}
