import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DONE, handlerOf, hang, type OutboxNodes, openOutboxNodes } from './outbox-nodes.ts'

const HOUR = 3_600_000

describe('delivery to a user', () => {
  describeDatabases((engine) => {
    let nodes: OutboxNodes
    beforeEach(async () => {
      nodes = await openOutboxNodes(engine)
    })
    afterEach(() => nodes.close())

    it('is not delayed by another user whose receivers hang', async () => {
      const received: string[] = []
      const receivers = handlerOf(({ userId }) => {
        received.push(userId)
        return userId === 'slow' ? hang() : DONE
      })
      const dead = nodes.start(receivers)
      await nodes.commit(dead, 'slow')
      nodes.clock.advance(HOUR)
      const outbox = nodes.start(receivers, { interval: 0.01 })
      outbox.queue.start()
      await expect.poll(() => received).toEqual(['slow'])
      await nodes.commit(dead, 'ada')
      await expect.poll(() => received.filter((userId) => userId === 'ada')).toEqual(['ada'])
    })

    it('is not delayed by the backlog of another user, and keeps the order of events', async () => {
      const received: { readonly userId: string; readonly eventId: string }[] = []
      const receivers = handlerOf((event) => {
        received.push(event)
        return DONE
      })
      const dead = nodes.start(receivers)
      const committed: { readonly userId: string; readonly eventId: string }[] = []
      for (let user = 0; user < 10; user++)
        committed.push(...(await nodes.commit(dead, `user${user}`, 50)))
      nodes.clock.advance(1000)
      committed.push(...(await nodes.commit(dead, 'ada')))
      nodes.clock.advance(HOUR)
      expect(await nodes.start(receivers).queue.runDue()).toEqual({
        delivered: 501,
        retrying: 0,
        dead: 0,
      })
      // The events of ten users are delivered in parallel. Each user frees a slot after a limited
      // number of events, so the event of ada does not wait for all others.
      expect(received.findIndex(({ userId }) => userId === 'ada')).toBeLessThan(300)
      for (const user of new Set(committed.map(({ userId }) => userId))) {
        const idsOf = (list: typeof received) =>
          list.filter(({ userId }) => userId === user).map(({ eventId }) => eventId)
        expect(idsOf(received)).toEqual(idsOf(committed))
      }
    })

    it('is left to other processes when the receivers of ten users hang', async () => {
      const outbox = nodes.start(handlerOf(hang))
      for (let user = 0; user < 150; user++) {
        void outbox.deliverNew(await nodes.commit(outbox, `user${user}`))
      }
      const left = (await nodes.rows()).filter((row) => row.endsWith('pending 0'))
      // This process tries ten events. Any process can deliver the others.
      expect(left).toHaveLength(140)
      const other = nodes.start()
      nodes.clock.advance(1)
      expect((await other.queue.runDue()).delivered).toBe(140)
    })
  })
})
