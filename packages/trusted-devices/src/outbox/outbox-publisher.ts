import { withTimeout } from '@quillgate/server/core'
import type { DeviceEvent } from '../devices/device-event.ts'
import { createDeliveries, RECEIVER_DEADLINE } from '../signals/deliveries.ts'
import { type Publisher, whereOf } from '../signals/publisher.ts'
import type { Outbox } from './outbox.ts'

/**
 * Creates a publisher that leaves the delivery to the outbox, and waits for it as long as an answer
 * may.
 *
 * @param timeout seconds
 */
export function createOutboxPublisher(outbox: Outbox, timeout: number): Publisher {
  const deliveries = createDeliveries()
  const send = async (patience: number, events: readonly DeviceEvent[]): Promise<void> => {
    const [first] = events
    if (!first) return
    const delivered = outbox.deliverFresh(events)
    deliveries.add(delivered, whereOf(first))
    await withTimeout(patience, delivered, () => undefined)
  }
  return {
    publish: (events) => send(timeout, events),
    publishFully: (events) => send(deliveries.isStuck() ? timeout : RECEIVER_DEADLINE, events),
    settle: deliveries.settle,
    async close(seconds) {
      outbox.stop()
      await withTimeout(seconds, outbox.settle(), () => undefined)
    },
  }
}
