import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Outbox } from '../../src/outbox/outbox.ts'
import { listEntries } from '../../src/outbox/outbox-log.ts'
import { DONE, handlerOf, hang, type OutboxNodes, openOutboxNodes } from './outbox-nodes.ts'

const HOUR = 3_600_000

describe('a poisonous event', () => {
  describeDatabases((engine) => {
    let nodes: OutboxNodes
    beforeEach(async () => {
      nodes = await openOutboxNodes(engine)
    })
    afterEach(() => nodes.close())
    const execute = (sql: string) => nodes.database.executor(nodes.database.kysely).execute(sql)
    const deliver = (attempts = 4) =>
      nodes
        .start(
          handlerOf(() => DONE),
          { attempts },
        )
        .queue.runDue()
    const deadOf = async ({ queue }: Outbox) =>
      (await listEntries(queue, { state: 'dead' })).entries
    const killDuringAttempt = async (attempts = 4): Promise<string> => {
      const { promise: begun, resolve } = Promise.withResolvers<string>()
      const receivers = handlerOf(({ eventId }) => {
        resolve(eventId)
        return hang()
      })
      void nodes.start(receivers, { attempts }).queue.runDue()
      const eventId = await begun
      nodes.clock.advance(HOUR)
      return eventId
    }

    it('that kills every process is given up, and later events are delivered', async () => {
      const outbox = nodes.start()
      const writer = nodes.start(handlerOf(() => DONE, { isOpen: () => false }))
      const [poison] = await nodes.commit(writer, '1', 3)
      for (let time = 0; time < 4; time++) expect(await killDuringAttempt()).toBe(poison?.eventId)
      expect(await deliver()).toEqual({ delivered: 2, retrying: 0, dead: 1 })
      expect(await nodes.rows()).toEqual(['1 dead 4', '1 delivered 1', '1 delivered 1'])
      expect(await deadOf(outbox)).toMatchObject([
        { eventId: poison?.eventId, lastError: expect.stringContaining('killed') },
      ])
    })

    it('is tried at least once, even if the process is killed between commit and delivery', async () => {
      await nodes.commit(nodes.start(handlerOf(() => DONE)), '1', 2)
      nodes.clock.advance(HOUR)
      expect(await deliver(1)).toEqual({ delivered: 2, retrying: 0, dead: 0 })
    })

    it('that has used up its attempts is not tried again', async () => {
      await nodes.commit(nodes.start(handlerOf(() => DONE)), '1')
      await execute('UPDATE quillgate_device_job SET attempts = 500')
      nodes.clock.advance(HOUR)
      expect(await deliver()).toEqual({ delivered: 0, retrying: 0, dead: 1 })
    })

    it('whose handler throws is given up, and later events are delivered', async () => {
      const outbox = nodes.start(
        handlerOf(({ eventId }) => {
          if (eventId === first?.eventId) throw new TypeError('not iterable')
          return DONE
        }),
      )
      const events = await nodes.commit(outbox, '1', 2)
      const [first] = events
      await outbox.deliverNew(events)
      expect(await nodes.rows()).toEqual(['1 dead 1', '1 delivered 1'])
      expect((await deadOf(outbox))[0]?.lastError).toContain('not iterable')
      expect(nodes.errors).toEqual([])
    })

    it('of a kind that only a newer version knows is kept for that version', async () => {
      const writer = nodes.start(handlerOf(() => DONE, { isOpen: () => false }))
      const [newer] = await nodes.commit(writer, '1', 2)
      const set = `payload = REPLACE(payload, '"kind":"revoked"', '"kind":"renamed"')`
      await execute(`UPDATE quillgate_device_job SET ${set} WHERE id = '${newer?.eventId}'`)
      expect(await deliver()).toEqual({ delivered: 1, retrying: 0, dead: 1 })
      expect(await deadOf(writer)).toMatchObject([
        { eventId: newer?.eventId, lastError: expect.stringContaining('renamed') },
      ])
      await execute(
        `UPDATE quillgate_device_job SET payload = REPLACE(payload, 'renamed', 'revoked')`,
      )
      expect(await writer.queue.replay(newer?.eventId ?? '')).toBe(1)
      expect(await deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
    })
  })
})
