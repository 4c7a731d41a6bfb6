import { withTimeout } from '@quillgate/server/core'
import type { AttemptResult, JobHandler } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { Dispatcher } from '../signals/dispatcher.ts'

const SLOW_PAUSE = 600_000 // Milliseconds after which a process calls a slow receiver again.

/**
 * Creates the handler of the outbox. The handler calls the receivers of this process and waits up
 * to `timeout` seconds for them. A process without receivers leaves events to other processes.
 */
export function createReceiversHandler(
  dispatcher: Pick<Dispatcher, 'call' | 'findOwner' | 'hasReceivers'>,
  timeout: number,
): JobHandler<DeviceEvent> {
  async function call(event: DeviceEvent): Promise<readonly string[]> {
    try {
      return await dispatcher.call(event, await dispatcher.findOwner(event))
    } catch (error) {
      return [`users.findById: ${String(error)}`] // Only `findOwner` can reject.
    }
  }

  async function attempt(event: DeviceEvent): Promise<AttemptResult> {
    const called = call(event)
    const errors = await withTimeout(timeout, called, () => null)
    if (errors?.length === 0) return { kind: 'done' }
    if (errors) return { kind: 'retry', error: errors.join('; ') }
    const error = `A receiver has not finished after ${timeout} s.`
    const late = called.then(({ length }) => length === 0)
    return { kind: 'retry', error, after: SLOW_PAUSE, late }
  }

  return {
    isOpen: () => dispatcher.hasReceivers(),
    handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
  }
}
