import { withTimeout } from '@quillgate/server/core'
import type { BoundReceiver, Delivery, ReceiverFailure } from './deliver.ts'

/** With the outbox: a receiver was not done within 20 s. It continues by itself. */
export class ReceiverTimeoutError extends Error {
  override name = 'ReceiverTimeoutError'
}

/** The result of calling the receivers of one event. */
export interface ReceiversAttempt {
  /** One line for each receiver that failed or was late. */
  readonly failures: readonly string[]
  /** When some were late: gives true when in the end none has failed. */
  readonly late: Promise<boolean> | null
}

/** How {@link attemptDelivery} treats receivers. */
export interface AttemptOptions {
  /** Seconds until those that are not done count as failed. They go on. */
  readonly timeout: number
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
}

/**
 * Calls the receivers of one event side by side, and says whether all of them did what they do.
 * Does not reject.
 */
export async function attemptDelivery(
  delivery: Delivery,
  options: AttemptOptions,
): Promise<ReceiversAttempt> {
  const failures: string[] = []
  const report = (error: unknown, where: ReceiverFailure): void => {
    failures.push(`${where.receiverId ?? 'a receiver'}: ${String(error)}`)
    try {
      options.onReceiverError(error, where)
    } catch {
      // An error of the error handler is ignored.
    }
  }
  const running = new Set<BoundReceiver>()
  const whole = Promise.all(
    delivery.receivers().map(async (receiver) => {
      running.add(receiver)
      try {
        await receiver.call()
      } catch (error) {
        report(error, receiver.where)
      } finally {
        running.delete(receiver)
      }
    }),
  )
  await withTimeout(options.timeout, whole, () => undefined)
  if (running.size === 0) return { failures, late: null }
  const failuresInTime = failures.length
  for (const { where } of running) {
    report(
      new ReceiverTimeoutError(
        `A receiver of ${where.signal} was not done within ${options.timeout} s.`,
      ),
      where,
    )
  }
  const told = failures.length
  return {
    failures: [...failures],
    late: whole.then(() => failuresInTime === 0 && failures.length === told),
  }
}
