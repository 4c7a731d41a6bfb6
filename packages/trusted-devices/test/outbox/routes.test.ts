import type { JobHandler } from '@quillgate/server/jobs'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { DONE, handlerOf, type OutboxNodes, openOutboxNodes } from './outbox-nodes.ts'

describe('between commit and delivery', () => {
  describeDatabases((engine) => {
    let nodes: OutboxNodes
    let received: string[]
    let receivers: JobHandler<DeviceEvent>
    beforeEach(async () => {
      nodes = await openOutboxNodes(engine)
      received = []
      receivers = handlerOf(({ eventId }) => {
        received.push(eventId)
        return DONE
      })
    })
    afterEach(() => nodes.close())

    it('all receivers can disconnect: the event is left to others', async () => {
      let isConnected = true
      const outbox = nodes.start({ ...receivers, isOpen: () => isConnected })
      const events = await nodes.commit(outbox, '1')
      isConnected = false
      await outbox.deliverNew(events)
      expect(received).toEqual([])
      expect(await nodes.start(receivers).queue.runDue()).toEqual({
        delivered: 1,
        retrying: 0,
        dead: 0,
      })
    })

    it('the process can pause until others have delivered its rows', async () => {
      const [paused, other] = [nodes.start(receivers), nodes.start(receivers)]
      const events = await nodes.commit(paused, '1', 3)
      nodes.clock.advance(31_000)
      expect((await other.queue.runDue()).delivered).toBe(3)
      await paused.deliverNew(events)
      expect(received).toEqual(events.map(({ eventId }) => eventId))
    })

    it('the rows can be erased', async () => {
      const outbox = nodes.start(receivers)
      const events = await nodes.commit(outbox, '1')
      await nodes.database
        .executor(nodes.database.kysely)
        .execute('DELETE FROM quillgate_device_job')
      await outbox.deliverNew(events)
      expect(received).toEqual([])
      await outbox.deliverNew(await nodes.commit(outbox, '1')) // The queue is not blocked.
      expect(received).toHaveLength(1)
    })
  })
})
