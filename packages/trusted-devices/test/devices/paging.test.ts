import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { isAfter } from '../../src/devices/tables/device-table.ts'
import { deviceTables } from '../../src/devices/tables/schema.ts'
import { type House, openHouse } from '../support/house.ts'
import { addDevices } from '../support/many-devices.ts'

const MANY = 2500

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  describe('paging through all devices', () => {
    it('reads a deep page from the index without sorting', async () => {
      house = await openHouse(engine)
      await addDevices(house, '1', MANY)
      await house.sql.execute(
        engine.name === 'mariadb' ? 'ANALYZE TABLE quillgate_device' : 'ANALYZE',
      )
      const last = {
        lastSeenAt: house.clock() - (MANY - 2000) * 1000,
        uid: '019007d0-0000-7000-8000-0000000007d0',
      }
      const { sql, parameters } = deviceTables
        .on(house.sql, 'quillgate_')
        .selectFrom('device')
        .selectAll()
        .where((eb) => eb.and([]))
        .where((eb) => isAfter(eb, last))
        .orderBy('lastSeenAt', 'desc')
        .orderBy('uid', 'desc')
        .limit(50)
        .compile()
      const explain = engine.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
      const plan = JSON.stringify(await house.sql.query(`${explain} ${sql}`, parameters))
      expect(plan).toMatch(PLANS[engine.name])
      expect(plan).not.toMatch(/sort|TEMP B-TREE/i)
    })

    it('returns each device once, with equal times, with a filter, and for one user', async () => {
      house = await openHouse(engine)
      await addDevices(house, '1', 60)
      await house.sql.execute(
        'UPDATE quillgate_device SET last_seen_at = last_seen_at - MOD(last_seen_at, 7000)',
      )
      const pagesOf = async (filter: { seenBefore: Date } | undefined): Promise<string[]> => {
        const uids: string[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await house.devices.registry.listAll({
            limit: 4,
            ...(cursor === undefined ? {} : { cursor }),
            ...(filter ? { filter } : {}),
          })
          uids.push(...page.devices.map(({ uid }) => uid))
          cursor = page.nextCursor
        }
        return uids
      }
      const rows = await house.sql.query(
        'SELECT uid FROM quillgate_device ORDER BY last_seen_at DESC, uid DESC',
      )
      const all = rows.map((row) => String(row['uid']))
      expect(all).toHaveLength(60)
      expect(await pagesOf(undefined)).toEqual(all)
      expect(await pagesOf({ seenBefore: new Date(house.clock() + 1) })).toEqual(all)
      const own: string[] = []
      for (
        let cursor: string | null = null, isFirst = true;
        isFirst || cursor !== null;
        isFirst = false
      ) {
        const page = await house.devices.registry.list('1', { limit: 4, cursor })
        own.push(...page.devices.map(({ uid }) => uid))
        cursor = page.nextCursor
      }
      expect(own).toEqual(all)
    })
  })
})

/** Patterns that match the query plan of each database if the search starts inside the index. */
const PLANS = {
  sqlite: /SEARCH quillgate_device USING INDEX quillgate_device_activity \(last_seen_at<\?\)/,
  postgres: /quillgate_device_activity.*Index Cond: \(last_seen_at <=/s,
  mariadb: /"type":"range".*"key":"quillgate_device_activity"/s,
}
