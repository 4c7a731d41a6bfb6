import { type Database, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { startTcpProxy, type TcpProxy } from './fixtures/tcp-proxy.ts'

describe('a commit that the server rejects because of another transaction', () => {
  describeDatabases(
    (engine) => {
      let url: string
      let direct: Database
      let proxy: TcpProxy
      const closing: (() => Promise<unknown>)[] = []

      beforeEach(async () => {
        const fixture = await engine.open()
        direct = fixture.database
        await createCounters(direct, 'a')
        proxy = await startTcpProxy(Number(new URL(fixture.url).port))
        url = Object.assign(new URL(fixture.url), { port: String(proxy.port) }).href
        closing.push(fixture.close, proxy.close)
      })
      afterEach(async () => {
        for (const close of closing.splice(0).reverse()) await close()
      })

      const ownPool = (): Database => {
        const database = openDatabase(url, { poolSize: 2 })
        closing.push(database.close)
        return database
      }
      const poolOfTheApplication = (): Database => {
        const kysely = new Kysely<unknown>({ dialect: new MysqlDialect({ pool: createPool(url) }) })
        closing.push(() => kysely.destroy())
        return openDatabase(kysely)
      }
      const addOne = async (database: Database) => {
        let runs = 0
        const result = await database
          .transaction(async (trx) => {
            runs++
            await database.executor(trx).execute('UPDATE counters SET n = n + 1')
          })
          .catch((error: unknown) => error)
        return { runs, result, counters: await readCounters(direct) }
      }

      for (const open of [ownPool, poolOfTheApplication]) {
        describe(open === ownPool ? 'a pool of Quillgate' : 'a pool of the application', () => {
          it('retries the whole transaction, which takes effect once', async () => {
            const database = open()
            proxy.refuseCommits(7)
            expect(await addOne(database)).toEqual({
              runs: 8,
              result: undefined,
              counters: { a: 1 },
            })
          })

          it('throws database_busy after the last retry, without any effect', {
            timeout: 30_000,
          }, async () => {
            const database = open()
            proxy.refuseCommits(100)
            const { runs, result, counters } = await addOne(database)
            expect(result).toMatchObject({ code: 'database_busy', status: 503 })
            expect({ runs, counters }).toEqual({ runs: 21, counters: { a: 0 } })
          })
        })
      }

      it('does not retry a transaction whose commit got no answer', async () => {
        const database = ownPool()
        proxy.cutAfter('\x03commit')
        const { runs, result } = await addOne(database)
        expect(result).toMatchObject({ code: 'commit_unknown' })
        expect(runs).toBe(1)
      })
    },
    ['mariadb'],
  )
})
