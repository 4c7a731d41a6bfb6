import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listEntries } from '../../src/outbox/outbox-log.ts'
import { type House, openHouse } from '../support/house.ts'
import { DONE, handlerOf, openOutboxNodes } from './outbox-nodes.ts'

const ID = '0190a1b2-c3d4-7000-8000-0123456789ab'

describe('the filters of the outbox', () => {
  let house: House
  const open = async (engine = sqliteEngine()) => {
    const users = { findById: (id: string) => ({ id }) }
    house = await openHouse(engine, { outbox: true, outboxInterval: null }, { users })
  }
  afterEach(() => house.close())

  it.each<[string, object]>([
    ['a misspelled property', { userid: '1' }],
    ['a number for an event', { eventId: 5 }],
    ['an event that is not a UUID', { eventId: 'x' }],
    ['everything with another condition', { everything: true, eventId: ID }],
  ])('reject %s', async (_, filter) => {
    await open()
    const wrong = { code: 'configuration_error' }
    await expect(house.devices.outbox.replay(filter as never)).rejects.toMatchObject(wrong)
    await expect(house.devices.outbox.list(filter)).rejects.toMatchObject(wrong)
  })

  it('reject a replay without a condition, and a replay of events that are not dead', async () => {
    await open()
    for (const filter of [{}, undefined, null, [], { state: 'pending' }, { everything: 1 }]) {
      await expect(house.devices.outbox.replay(filter as never)).rejects.toMatchObject({
        code: 'configuration_error',
      })
    }
    expect(await house.devices.outbox.replay({ everything: true })).toBe(0)
    const options = { state: 'asleep' } as never
    await expect(house.devices.outbox.list(options)).rejects.toMatchObject({
      code: 'configuration_error',
    })
    await expect(house.devices.outbox.list({ cursor: 5 } as never)).rejects.toMatchObject({
      code: 'configuration_error',
    })
  })

  describeDatabases((engine) => {
    beforeEach(() => open(engine))

    it('find events by state', async () => {
      const request = new Request('http://localhost/')
      await house.devices.login({ id: '1' }, { request }, { transport: 'bearer' })
      const { entries } = await house.devices.outbox.list({ state: 'delivered' })
      expect(entries).toHaveLength(1)
      expect((await house.devices.outbox.list()).entries).toEqual(entries)
      expect((await house.devices.outbox.list({ state: 'dead' })).entries).toEqual([])
    })
  })
})

describe('an outbox with many delivered events', () => {
  it('finds dead events with an index', async () => {
    const nodes = await openOutboxNodes(sqliteEngine())
    const seen: { sql: string; params: readonly unknown[] }[] = []
    const { relaxed: executor } = nodes.db
    const watched: typeof executor = {
      ...executor,
      query(sql, params) {
        seen.push({ sql, params: params ?? [] })
        return executor.query(sql, params)
      },
      execute(sql, params) {
        seen.push({ sql, params: params ?? [] })
        return executor.execute(sql, params)
      },
    }
    const log = nodes.start(undefined, { db: { ...nodes.db, relaxed: watched } })
    await listEntries(log.queue, { state: 'dead' })
    await log.queue.replay(undefined)
    expect(seen).toHaveLength(2)
    for (const { sql, params } of seen) {
      const plan = await executor.query(`EXPLAIN QUERY PLAN ${sql}`, params as never)
      expect(plan.map((row) => String(row['detail'])).join()).toMatch(
        /quillgate_device_job_(state|line|due)/,
      )
    }
    await nodes.close()
  })

  describeDatabases((engine) => {
    it('deletes them in batches', { timeout: 60_000 }, async () => {
      const nodes = await openOutboxNodes(engine)
      const outbox = nodes.start(handlerOf(() => DONE))
      await outbox.deliverNew(await nodes.commit(outbox, '1', 450))
      nodes.clock.advance(7_200_000)
      let most = 0
      const { relaxed: executor } = nodes.db
      const watched: typeof executor = {
        ...executor,
        async execute(sql, params) {
          const { affected } = await executor.execute(sql, params)
          most = Math.max(most, affected)
          return { affected }
        },
      }
      const db = { ...nodes.db, relaxed: watched }
      await nodes
        .start(
          handlerOf(() => DONE),
          { db, retention: 3600 },
        )
        .queue.runDue()
      expect(await nodes.rows()).toEqual([])
      expect(most).toBe(200)
      await nodes.close()
    })
  })
})
