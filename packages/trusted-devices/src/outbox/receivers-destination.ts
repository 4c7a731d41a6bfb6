import { withTimeout } from '@quillgate/server/core'
import type { Outcome } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { Dispatcher } from '../signals/dispatcher.ts'
import { findOwner, type Owner, type PublisherOptions } from '../signals/publisher.ts'
import type { ReceiverReports } from '../signals/receiver-reports.ts'
import { quietly, type ReceiverCall, type ReceiverFailure } from '../signals/receivers.ts'
import { type Destination, RECEIVERS } from './outbox.ts'

/** The options of {@link createReceiversDestination}. */
export interface ReceiversOptions
  extends Pick<PublisherOptions, 'users'>,
    Pick<ReceiverReports, 'onReceiverError'> {
  readonly dispatcher: Pick<Dispatcher, 'call' | 'hasReceivers'>
  /**
   * Whether events are stored when no receiver is connected, because other processes have
   * receivers.
   */
  readonly isExpected: boolean
  /** Seconds that one attempt may take. */
  readonly timeout: number
}

/** A receiver was not done in time. It continues. */
class ReceiverTimeoutError extends Error {
  override name = 'ReceiverTimeoutError'
}

/**
 * Creates the destination of this process's receivers. A process without receivers leaves events to
 * others.
 */
export function createReceiversDestination(options: ReceiversOptions): Destination {
  const { dispatcher, users, timeout } = options
  const isOpen = (): boolean => dispatcher.hasReceivers()
  async function attempt(event: DeviceEvent): Promise<Outcome> {
    let owner: Owner
    try {
      owner = isOfDeletedUser(event)
        ? users.deleted(event.userId)
        : await findOwner(users, event.userId, timeout)
    } catch (error) {
      return { kind: 'retry', error: `users.findById: ${String(error)}` }
    }
    return outcomeOf(dispatcher.call(event, owner), options)
  }
  return {
    name: RECEIVERS,
    wants: () => options.isExpected || isOpen(),
    isOpen,
    handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
  }
}

/** Returns true if receivers get the id of the user only, because the user asked to be erased. */
function isOfDeletedUser(event: DeviceEvent): boolean {
  return event.kind === 'revoked' && event.reason === 'user_deleted'
}

/** Waits for receivers. Those that are not done in time have failed, unless they succeed late. */
async function outcomeOf(
  calls: readonly ReceiverCall[],
  { timeout, onReceiverError }: Pick<ReceiversOptions, 'timeout' | 'onReceiverError'>,
): Promise<Outcome> {
  const errors: string[] = []
  const running = new Set(calls)
  const note = ({ receiverId }: ReceiverFailure, error: unknown): void =>
    void errors.push(`${receiverId ?? 'a receiver'}: ${String(error)}`)
  const ended = calls.map(async (call) => {
    const failure = await call.done
    running.delete(call)
    if (failure) note(call.where, failure.error)
    return failure === null
  })
  const succeeded = Promise.all(ended).then((all) => all.every(Boolean))
  if (await withTimeout(timeout, succeeded, () => false)) return { kind: 'done' }
  for (const { where } of running) {
    const late = `A receiver of ${where.signal} was not done within ${timeout} s.`
    const error = new ReceiverTimeoutError(late)
    note(where, error)
    quietly(() => onReceiverError(error, where))
  }
  const failure = { kind: 'retry', error: errors.join('; ') } as const
  return running.size === 0 ? failure : { ...failure, late: succeeded }
}
