import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabaseRateStore } from '@quillgate/server/http'
import type { TestDatabase } from '@quillgate/server/testing'
import { describeDatabases, rateStoreSuite } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabaseRateStore } from '../../src/http/rate-limit/database-rate-store.ts'

describeDatabases((engine) => {
  describe('createDatabaseRateStore', () => {
    let test: TestDatabase<unknown>
    let stores: readonly [DatabaseRateStore, DatabaseRateStore]
    const count = async (where = ''): Promise<number> => {
      const [row] = await test.database
        .executor(test.database.kysely)
        .query(`SELECT COUNT(*) AS n FROM quillgate_rate ${where}`)
      return Number(row?.['n'])
    }

    beforeAll(async () => {
      test = await engine.open()
      stores = [createDatabaseRateStore(test.url), createDatabaseRateStore(test.url)]
    })
    afterAll(async () => {
      for (const store of stores) await store.close()
      await test.close()
    })

    rateStoreSuite({ open: () => stores, pass: (seconds) => sleep(seconds * 1000) })

    it('removes what is over, and nothing else, while it is used', async () => {
      const [store] = stores
      const run = Array.from({ length: 700 }, (_, index) => `1:short-${index}`)
      for (let start = 0; start < run.length; start += 50) {
        await Promise.all(run.slice(start, start + 50).map((key) => store.hit(key, 1)))
      }
      await store.hit('60:long', 60)
      await sleep(1100)
      for (let index = 0; index < 500; index++) await store.hit('60:busy', 60)
      expect(await count("WHERE rate_key LIKE '1:short-%'")).toBe(0)
      expect((await store.hit('60:long', 60)).count).toBe(2)
      expect((await store.hit('60:busy', 60)).count).toBe(501)
    })

    it('removes what is over where hits are few: at the first one, and once a minute', async () => {
      let now = 0
      const plain = createDatabaseRateStore(test.url)
      const store = createDatabaseRateStore(test.url, { clock: () => now })
      const leave = async (name: string): Promise<void> => {
        await plain.hit('60:first', 60) // Its own first sweep is over.
        await plain.hit(`1:${name}`, 1)
        await test.database
          .executor(test.database.kysely)
          .execute(`UPDATE quillgate_rate SET ends_at = 1 WHERE rate_key = '1:${name}'`)
      }
      const isLeft = async (name: string): Promise<boolean> =>
        (await count(`WHERE rate_key = '1:${name}'`)) === 1
      try {
        await leave('before')
        await store.hit('60:rare', 60)
        expect(await isLeft('before')).toBe(false)
        await leave('after')
        now = 59_999
        await store.hit('60:rare', 60)
        expect(await isLeft('after')).toBe(true)
        now = 60_000
        await store.hit('60:rare', 60)
        expect(await isLeft('after')).toBe(false)
      } finally {
        await plain.close()
        await store.close()
      }
    })

    it('opens a window again that a clock set back would keep shut', async () => {
      const [store] = stores
      await store.hit('60:ahead', 60)
      await test.database
        .executor(test.database.kysely)
        .execute(
          "UPDATE quillgate_rate SET hits = 99, ends_at = ends_at + 86400000 WHERE rate_key = '60:ahead'",
        )
      expect((await store.hit('60:ahead', 60)).count).toBe(1)
    })

    it('counts on in a window that a later statement began, which did not have to wait', async () => {
      const [store] = stores
      await store.hit('60:late', 60)
      await test.database
        .executor(test.database.kysely)
        .execute("UPDATE quillgate_rate SET ends_at = ends_at + 5000 WHERE rate_key = '60:late'")
      expect((await store.hit('60:late', 60)).count).toBe(2)
    })

    it('works in the database of an application, which stays open', async () => {
      const store = createDatabaseRateStore(test.database.kysely, { prefix: 'app_' })
      expect((await store.hit('60:a', 60)).count).toBe(1)
      await store.close()
      expect(await count()).toBeGreaterThan(0)
    })
  })
})
