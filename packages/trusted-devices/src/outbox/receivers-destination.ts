import { withTimeout } from '@quillgate/server/core'
import type { DeletedUser, User } from '../devices/user.ts'
import type { UserDirectory } from '../devices/user-directory.ts'
import { attemptDelivery } from '../signals/attempt.ts'
import type { ReceiverFailure } from '../signals/deliver.ts'
import { deliveryOf, hasReceivers, type Teller } from '../signals/fact-delivery.ts'
import type { Attempted, Destination } from './destination.ts'

/** How receivers are called. */
export interface ReceiversOptions {
  readonly teller: () => Teller
  /** Whether rows are written even when nobody is connected now: others, or a later start, have receivers. */
  readonly isExpected: boolean
  readonly users: Pick<UserDirectory, 'find' | 'deleted'>
  /** Seconds that one attempt may take. */
  readonly timeout: number
  readonly onReceiverError: (error: unknown, where: ReceiverFailure) => void
}

/** The receivers of this process. A process without any leaves the events to others. */
export function createReceiversDestination(options: ReceiversOptions): Destination {
  const { teller, users, timeout, onReceiverError } = options
  const giveUp = (): never => {
    throw new Error(`no answer within ${timeout} s`)
  }
  const isOpen = (): boolean => hasReceivers(teller())
  return {
    name: 'receivers',
    isAwaited: true,
    wants: () => options.isExpected || isOpen(),
    isOpen,
    async attempt(fact, { user }): Promise<Attempted> {
      let owner: User | DeletedUser
      try {
        owner =
          user ??
          (await withTimeout(timeout, users.find(fact.userId), giveUp)) ??
          users.deleted(fact.userId)
      } catch (error) {
        return { kind: 'failed', error: `users.findById: ${String(error)}` }
      }
      const { failures, late } = await attemptDelivery(deliveryOf(fact, owner, teller()), {
        timeout,
        onReceiverError,
      })
      if (failures.length === 0) return { kind: 'done' }
      return { kind: 'failed', error: failures.join('; '), ...(late ? { late } : {}) }
    },
  }
}
