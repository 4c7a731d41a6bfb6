import { withTimeout } from '@quillgate/server/core'
import type { DeviceFact } from '../devices/facts.ts'
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
  const send = async (patience: number, facts: readonly DeviceFact[]): Promise<void> => {
    const [first] = facts
    if (!first) return
    const delivered = outbox.deliverFresh(facts)
    deliveries.add(delivered, whereOf(first))
    await withTimeout(patience, delivered, () => undefined)
  }
  return {
    publish: (facts) => send(timeout, facts),
    publishFully: (facts) => send(deliveries.isStuck() ? timeout : RECEIVER_DEADLINE, facts),
    settle: deliveries.settle,
    async close(seconds) {
      outbox.stop()
      await withTimeout(seconds, outbox.settle(), () => undefined)
    },
  }
}
