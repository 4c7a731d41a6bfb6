import { withTimeout } from '@quillgate/server/core'
import type { Outcome } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { Dispatcher } from '../signals/dispatcher.ts'
import { type Destination, RECEIVERS } from './outbox.ts'

/** The options of {@link createReceiversDestination}. */
export interface ReceiversOptions {
  readonly dispatcher: Pick<Dispatcher, 'call' | 'findOwner' | 'hasReceivers'>
  /**
   * Whether events are stored when no receiver is connected, because other processes have
   * receivers.
   */
  readonly isExpected: boolean
  /** Seconds that one attempt may take. */
  readonly timeout: number
}

// Milliseconds in which a slow receiver may still finish, before any process calls it again.
const SLOW_PAUSE = 600_000

/**
 * Creates the destination of this process's receivers. A process without receivers leaves events to
 * others.
 */
export function createReceiversDestination(options: ReceiversOptions): Destination {
  const { dispatcher, timeout } = options

  async function call(event: DeviceEvent): Promise<readonly string[]> {
    try {
      return await dispatcher.call(event, await dispatcher.findOwner(event))
    } catch (error) {
      return [`users.findById: ${String(error)}`] // The other call never rejects.
    }
  }

  async function attempt(event: DeviceEvent): Promise<Outcome> {
    const called = call(event)
    const errors = await withTimeout(timeout, called, () => null)
    if (errors?.length === 0) return { kind: 'done' }
    if (errors) return { kind: 'retry', error: errors.join('; ') }
    const error = `A receiver has not finished after ${timeout} s.`
    const late = called.then(({ length }) => length === 0)
    return { kind: 'retry', error, after: SLOW_PAUSE, late }
  }

  const isOpen = (): boolean => dispatcher.hasReceivers()
  return {
    name: RECEIVERS,
    wants: () => options.isExpected || isOpen(),
    isOpen,
    handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
  }
}
