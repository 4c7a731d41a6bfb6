import { withTimeout } from '@quillgate/server/core'
import type { Signal } from './signal.ts'

/** Which receiver of which event failed, is slow or has not finished. */
export interface ReceiverFailure {
  /** For example `device_created`. */
  readonly signal: string
  /** The name that the receiver was connected with, or null. */
  readonly receiverId: string | null
  readonly eventId: string
}

/** A receiver that was called with an event. */
export interface ReceiverCall {
  readonly where: ReceiverFailure
  /** Resolves to null, or to the error of the receiver. Never rejects. */
  readonly done: Promise<{ readonly error: unknown } | null>
}

/**
 * Calls the receivers of several signals side by side. Each one gets a frozen copy of the payload,
 * with a `Date` or `Set` of its own.
 *
 * @param onError called for each receiver that throws or rejects, however late
 */
export function callReceivers<
  Payload extends { readonly sender: unknown; readonly eventId: string },
>(
  signals: readonly Signal<Payload>[],
  payload: Payload,
  onError: (error: unknown, where: ReceiverFailure) => void,
): ReceiverCall[] {
  const { sender, eventId } = payload
  const connections = signals.flatMap((signal) =>
    signal.connections(sender).map((connection) => ({ ...connection, signal: signal.name })),
  )
  return connections.map(({ receiver, id, signal }) => {
    const where = { signal, receiverId: id, eventId }
    const done = (async () => receiver(copyOf(payload)))().then(
      () => null,
      (error: unknown) => {
        quietly(() => onError(error, where))
        return { error }
      },
    )
    return { where, done }
  })
}

function copyOf<Payload extends object>(payload: Payload): Payload {
  const members = Object.entries(payload).map(([name, value]) => {
    if (value instanceof Date) return [name, new Date(value)]
    return [name, value instanceof Set ? new Set(value) : value]
  })
  return Object.freeze(Object.fromEntries(members)) as Payload
}

/** How {@link deliver} treats receivers. */
export interface DeliverOptions {
  /** Seconds to wait for all receivers together; 0: not for asynchronous receivers. */
  readonly timeout: number
  /** Seconds after which a receiver that still runs is reported as slow; 0: never. */
  readonly slowAfter: number
  /** Called once for each call of a receiver that is slow. The receiver continues. */
  readonly onSlowReceiver: (where: ReceiverFailure) => void
  readonly onStarted?: (call: ReceiverCall) => void
}

/**
 * Sends events in order. Each event waits for the receivers of the one before it until the time is
 * up; then nothing waits. Never rejects.
 *
 * @param events call the receivers of one event each
 */
export async function deliver(
  events: readonly (() => ReceiverCall[])[],
  { timeout, slowAfter, onSlowReceiver, onStarted }: DeliverOptions,
): Promise<void> {
  const end = performance.now() + timeout * 1000
  for (const call of events) {
    const calls = call()
    for (const each of calls) {
      if (slowAfter > 0) watch(each, slowAfter, onSlowReceiver)
      onStarted?.(each)
    }
    const left = (end - performance.now()) / 1000
    const all = Promise.all(calls.map(({ done }) => done))
    if (left > 0) await withTimeout(left, all, () => null)
  }
}

function watch(
  { where, done }: ReceiverCall,
  slowAfter: number,
  onSlowReceiver: DeliverOptions['onSlowReceiver'],
): void {
  const timer = setTimeout(quietly, slowAfter * 1000, () => onSlowReceiver(where))
  timer.unref()
  void done.then(() => clearTimeout(timer))
}

/** Ignores errors of the logger, so that delivery continues. */
export function quietly(report: () => void): void {
  try {
    report()
  } catch {}
}
