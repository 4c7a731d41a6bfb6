import type {
  DeviceCompromised,
  DeviceCreated,
  DeviceRevoked,
  DeviceSignals,
  SuspiciousLogin,
} from '../signals/signals.ts'

/** The payload and the name of a signal that was sent. */
export type RecordedSignal =
  | ({ readonly signal: 'device_created' } & DeviceCreated)
  | ({ readonly signal: 'device_revoked' } & DeviceRevoked)
  | ({ readonly signal: 'suspicious_login' } & SuspiciousLogin)
  | ({ readonly signal: 'device_compromised' } & DeviceCompromised)

/** A recording of the signals of an instance. */
export interface SignalRecorder {
  /** All recorded signals, in the order in which they were sent. */
  readonly events: readonly RecordedSignal[]
  /** Returns the names of the recorded signals, in the same order. */
  names(): string[]
  /** Returns the signals that were recorded so far, and removes them from the recording. */
  take(): RecordedSignal[]
  stop(): void
}

/**
 * Records the given signals, for example all signals of an instance.
 *
 * @example
 * const recorder = recordSignals(devices.signals)
 * await devices.login(user, context, { transport: 'bearer' })
 * expect(recorder.names()).toEqual(['device_created'])
 */
export function recordSignals(signals: Partial<DeviceSignals>): SignalRecorder {
  const events: RecordedSignal[] = []
  const disconnects = Object.values(signals).map((signal) =>
    signal.connect((payload: object) =>
      events.push({ signal: signal.name, ...payload } as RecordedSignal),
    ),
  )
  return {
    events,
    names: () => events.map(({ signal }) => signal),
    take: () => events.splice(0),
    stop() {
      for (const disconnect of disconnects) disconnect()
    },
  }
}
