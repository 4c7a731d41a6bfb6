import { withTimeout } from '@quillgate/server/core'
import type { Outcome } from '@quillgate/server/jobs'
import type { DeletedUser, User, UserDirectory } from '../devices/users.ts'
import { attemptDelivery } from '../signals/attempt.ts'
import type { ReceiverFailure } from '../signals/deliver.ts'
import { type Dispatcher, deliveryOf, hasReceivers } from '../signals/dispatcher.ts'
import type { Destination } from './destination.ts'

/** The options of {@link createReceiversDestination}. */
export interface ReceiversOptions {
  readonly dispatcher: () => Dispatcher
  /**
   * Whether events are stored when no receiver is connected, because other processes have
   * receivers.
   */
  readonly isExpected: boolean
  readonly users: Pick<UserDirectory, 'find' | 'deleted'>
  /** Seconds that one attempt may take. */
  readonly timeout: number
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
}

/**
 * Creates the destination of this process's receivers. A process without receivers leaves events to
 * others.
 */
export function createReceiversDestination(options: ReceiversOptions): Destination {
  const { dispatcher, users, timeout, onReceiverError } = options
  const giveUp = (): never => {
    throw new Error(`no answer within ${timeout} s`)
  }
  const isOpen = (): boolean => hasReceivers(dispatcher())
  return {
    name: 'receivers',
    isAwaited: true,
    wants: () => options.isExpected || isOpen(),
    isOpen,
    async attempt(event): Promise<Outcome> {
      let owner: User | DeletedUser
      try {
        const user = await withTimeout(timeout, users.find(event.userId), giveUp)
        owner = user ?? users.deleted(event.userId)
      } catch (error) {
        return { kind: 'retry', error: `users.findById: ${String(error)}` }
      }
      const { failures, late } = await attemptDelivery(deliveryOf(event, owner, dispatcher()), {
        timeout,
        onReceiverError,
      })
      if (failures.length === 0) return { kind: 'done' }
      return { kind: 'retry', error: failures.join('; '), ...(late ? { late } : {}) }
    },
  }
}
