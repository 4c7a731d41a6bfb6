import type { Signal } from './signal.ts'

/** One event and those who shall hear of it. */
export interface Delivery {
  /** Who is connected when the event is sent, in this order. */
  receivers(): BoundReceiver[]
}

/** A receiver with its event. */
export interface BoundReceiver {
  readonly call: () => unknown
  readonly where: ReceiverFailure
}

/** Where a receiver failed. */
export interface ReceiverFailure {
  /** For example `device_created`. */
  readonly signal: string
  /** The name that the receiver was connected with, or null. */
  readonly receiverId: string | null
  readonly eventId: string
}

/** How {@link deliver} treats receivers. */
export interface DeliverOptions {
  /** Seconds that all receivers together are waited for. */
  readonly timeout: number
  /** Hears of each receiver that throws, rejects or is late. */
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
  /** Hears of each receiver that begins; the promise fulfils when it is done, however it ends. */
  readonly onStarted?: (done: Promise<void>) => void
}

/** A receiver was not done in time. It goes on by itself. */
export class ReceiverTimeoutError extends Error {
  override name = 'ReceiverTimeoutError'
}

/**
 * An event for the receivers of several signals of one kind, one signal after the other. Each receiver gets a frozen copy
 * of the payload, with a `Date` or `Set` of its own.
 */
export function toDelivery<Payload extends { readonly sender: unknown; readonly eventId: string }>(
  signals: readonly Signal<Payload>[],
  payload: Payload,
): Delivery {
  return {
    receivers: () =>
      signals.flatMap((signal) =>
        signal.connections(payload.sender).map(({ receiver, id }) => ({
          call: () => receiver(copyOf(payload)),
          where: { signal: signal.name, receiverId: id, eventId: payload.eventId },
        })),
      ),
  }
}

function copyOf<Payload extends object>(payload: Payload): Payload {
  const members = Object.entries(payload).map(([name, value]) => {
    if (value instanceof Date) return [name, new Date(value)]
    return [name, value instanceof Set ? new Set(value) : value]
  })
  return Object.freeze(Object.fromEntries(members)) as Payload
}

/**
 * Sends events in order. Receivers of one event run side by side; the next event waits for them until the time is up,
 * and from then on nothing is waited for any more. Never rejects, whatever receivers do.
 */
export async function deliver(deliveries: readonly Delivery[], options: DeliverOptions): Promise<void> {
  const deadline = createDeadline(options.timeout)
  for (const delivery of deliveries) {
    await Promise.all(delivery.receivers().map((receiver) => run(receiver, deadline, options)))
  }
  deadline.cancel()
}

async function run({ call, where }: BoundReceiver, deadline: Deadline, options: DeliverOptions): Promise<void> {
  const report = (error: unknown): void => {
    try {
      options.onReceiverError(error, where)
    } catch {
      // The one who hears of errors has one: there is nobody left to tell.
    }
  }
  const isLate = deadline.isOver()
  let isDone = false
  const done = (async () => call())()
    .catch(report)
    .then(() => {
      isDone = true
    })
  options.onStarted?.(done)
  if (isLate) return
  await Promise.race([done, deadline.passed])
  if (!isDone) {
    report(new ReceiverTimeoutError(`A receiver of ${where.signal} was not done within ${options.timeout} s.`))
  }
}

interface Deadline {
  readonly passed: Promise<void>
  isOver(): boolean
  cancel(): void
}

function createDeadline(seconds: number): Deadline {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    resolve()
  }, seconds * 1000)
  return { passed: promise, isOver: () => isOver, cancel: () => clearTimeout(timer) }
}
