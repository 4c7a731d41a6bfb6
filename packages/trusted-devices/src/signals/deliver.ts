import type { Signal } from './signal.ts'

/** An event with its receivers. */
export interface Delivery {
  /** Returns the receivers that are connected now, in their order. */
  receivers(): BoundReceiver[]
}

/** A receiver with its event. */
export interface BoundReceiver {
  readonly call: () => unknown
  readonly where: ReceiverFailure
}

/** Which receiver of which event failed, is slow or has not finished. */
export interface ReceiverFailure {
  /** For example `device_created`. */
  readonly signal: string
  /** The name that the receiver was connected with, or null. */
  readonly receiverId: string | null
  readonly eventId: string
}

/** How {@link deliver} treats receivers. */
export interface DeliverOptions {
  /**
   * Seconds that all receivers together are waited for; 0: asynchronous receivers are not waited
   * for.
   */
  readonly timeout: number
  /** Seconds after which a receiver that still runs is reported as slow; 0: never. */
  readonly slowAfter: number
  /** Called for each receiver that throws or rejects, however late. */
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
  /** Called once for each call of a receiver that is slow. The receiver continues. */
  readonly onSlowReceiver: (where: ReceiverFailure) => void
  /** Called for each receiver that begins; the promise fulfils when it is done, however it ends. */
  readonly onStarted?: (done: Promise<void>, where: ReceiverFailure) => void
}

/**
 * An event for the receivers of several signals of one kind, one signal after the other. Each
 * receiver gets a frozen copy of the payload, with a `Date` or `Set` of its own.
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
 * Sends events in order. Receivers of one event run side by side; the next event waits for them
 * until the time is up, and from then on nothing is waited for any more. Never rejects, whatever
 * receivers do.
 */
export async function deliver(
  deliveries: readonly Delivery[],
  options: DeliverOptions,
): Promise<void> {
  const deadline = createDeadline(options.timeout)
  for (const delivery of deliveries) {
    await Promise.all(delivery.receivers().map((receiver) => run(receiver, deadline, options)))
  }
  deadline.cancel()
}

async function run(
  { call, where }: BoundReceiver,
  deadline: Deadline,
  options: DeliverOptions,
): Promise<void> {
  const { slowAfter, onReceiverError, onSlowReceiver, onStarted } = options
  const isLate = deadline.isOver()
  const slow =
    slowAfter === 0 ? undefined : setTimeout(quietly, slowAfter * 1000, () => onSlowReceiver(where))
  slow?.unref()
  const done = (async () => call())()
    .catch((error: unknown) => quietly(() => onReceiverError(error, where)))
    .then(() => clearTimeout(slow))
  onStarted?.(done, where)
  if (!isLate) await Promise.race([done, deadline.passed])
}

/** Ignores errors of the logger, so that delivery continues. */
function quietly(report: () => void): void {
  try {
    report()
  } catch {}
}

interface Deadline {
  readonly passed: Promise<void>
  isOver(): boolean
  cancel(): void
}

function createDeadline(seconds: number): Deadline {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOver = seconds === 0
  const timer = setTimeout(() => {
    isOver = true
    resolve()
  }, seconds * 1000)
  return { passed: promise, isOver: () => isOver, cancel: () => clearTimeout(timer) }
}
