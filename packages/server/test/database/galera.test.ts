import { type Database, openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { describeGalera } from '@quillgate/server/testing/suites'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'

const ROUNDS = 200

describeGalera(({ engine, urlsOf }) => {
  let first: Database
  let urls: readonly string[]
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    const fixture = await engine.open()
    first = fixture.database
    urls = urlsOf(fixture.url)
    await createCounters(first, 'a')
    closing.push(fixture.close)
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  const ownPool = (url: string): Database => {
    const database = openDatabase(url)
    closing.push(database.close)
    return database
  }
  const poolOfTheApplication = (url: string): Database => {
    const kysely = new Kysely<unknown>({ dialect: new MysqlDialect({ pool: createPool(url) }) })
    closing.push(() => kysely.destroy())
    return openDatabase(kysely)
  }
  const add = (executor: SqlExecutor): Promise<unknown> =>
    executor.execute("UPDATE counters SET n = n + 1 WHERE id = 'a'")
  const addOn = (database: Database): Promise<unknown> => add(database.executor(database.kysely))
  const readIn = (database: Database): Promise<unknown> =>
    database.transaction(async (trx) => {
      const [row] = await database.executor(trx).query("SELECT n FROM counters WHERE id = 'a'")
      return row?.['n']
    })

  for (const open of [ownPool, poolOfTheApplication]) {
    describe(open === ownPool ? 'a pool of Quillgate' : 'a pool of the application', () => {
      it('a statement sees an earlier commit of another node', async () => {
        const last = open(urls.at(-1) as string)
        for (let n = 1; n <= ROUNDS; n++) {
          await addOn(first)
          expect(await readCounters(last)).toEqual({ a: n })
        }
      })

      it('a transaction sees an earlier commit of another node', async () => {
        const last = open(urls.at(-1) as string)
        for (let n = 1; n <= ROUNDS; n++) {
          await addOn(first)
          expect(await readIn(last)).toBe(n)
        }
      })

      it('transactions of all nodes on one row each take effect once', async () => {
        const nodes = urls.map(open)
        const transactions = Array.from({ length: 60 }, (_, index) => {
          const database = nodes[index % nodes.length] as Database
          return database.transaction((trx) => add(database.executor(trx)))
        })
        await Promise.all([...transactions, ...nodes.map(addOn)])
        expect(await readIn(first)).toBe(60 + nodes.length)
      })
    })
  }

  it('does not change the variables of the application', async () => {
    const database = poolOfTheApplication(urls[0] as string)
    await readIn(database)
    const executor = database.executor(database.kysely)
    expect(await executor.query("SHOW SESSION VARIABLES LIKE 'wsrep_sync_wait'")).toMatchObject([
      { Value: '0' },
    ])
  })
})
