import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { sqliteEngine } from '@quillgate/server/testing'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'

describe('openDatabase with sqlite:', () => {
  let database: Database<{ counters: { id: string; n: number } }>

  beforeEach(async () => {
    database = openDatabase('sqlite::memory:')
    await createCounters(database, 'a')
  })
  afterEach(() => database.close())

  it('enforces foreign keys', async () => {
    const executor = database.executor(database.kysely)
    await executor.execute('CREATE TABLE parts (of text REFERENCES counters (id)) STRICT')
    await expect(executor.execute("INSERT INTO parts VALUES ('nothing')")).rejects.toThrow(
      /FOREIGN KEY/,
    )
  })

  it('returns columns with the names of prototype properties', async () => {
    const { query } = database.executor(database.kysely)
    const [row = {}] = await query('SELECT 1 AS "__proto__", 2 AS constructor')
    expect(Object.entries(row)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ])
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
  })

  it('rejects statements after SQLite has rolled back the transaction', async () => {
    const careless = database.transaction(async (trx) => {
      const executor = database.executor(trx)
      await executor.execute("UPDATE counters SET n = 1 WHERE id = 'a'")
      await executor.execute("INSERT OR ROLLBACK INTO counters VALUES ('a', 0)").catch(() => {})
      await executor.execute("UPDATE counters SET n = 2 WHERE id = 'a'")
    })
    await expect(careless).rejects.toThrow(
      'SQLite has rolled back this transaction. Run it again from its beginning.',
    )
    expect(await readCounters(database)).toEqual({ a: 0 })
    await database.transaction((trx) => database.executor(trx).execute('UPDATE counters SET n = 3'))
    expect(await readCounters(database)).toEqual({ a: 3 })
  })
})

describe("Database.transaction on the application's Kysely for SQLite", () => {
  // Both connections use one library, because two copies of SQLite ignore each other's locks.
  const setUp = async () => {
    const { url, close } = await sqliteEngine().open()
    const connect = (): Kysely<unknown> => {
      const sqlite = new BetterSqlite(url.slice('sqlite:'.length), { timeout: 0 })
      sqlite.pragma('journal_mode = WAL')
      return new Kysely({ dialect: new SqliteDialect({ database: sqlite }) })
    }
    const instances = [connect(), connect()] as const
    const [database, other] = [openDatabase(instances[0]), openDatabase(instances[1])]
    await createCounters(other, 'a')
    return {
      database,
      other,
      add: (executor: SqlExecutor) => executor.execute('UPDATE counters SET n = n + 1'),
      async close() {
        await Promise.all(instances.map((kysely) => kysely.destroy()))
        await close()
      },
    }
  }

  it('begins IMMEDIATE, so that its reads are still valid when it writes', async () => {
    const { database, other, add, close } = await setUp()
    let runs = 0
    let waiting: Promise<unknown> = Promise.resolve()
    await database.transaction(async (trx) => {
      runs++
      await database.executor(trx).query('SELECT n FROM counters')
      waiting = other.transaction((otherTrx) => add(other.executor(otherTrx)))
      await sleep(5)
      await add(database.executor(trx))
    })
    await waiting
    expect(runs).toBe(1)
    expect(await readCounters(other)).toEqual({ a: 2 })
    await close()
  })

  it('retries BEGIN while another connection locks the database', async () => {
    const { database, other, add, close } = await setUp()
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = other.transaction(async (trx) => {
      await add(other.executor(trx))
      held.resolve()
      await release.promise
    })
    await held.promise
    setTimeout(release.resolve, 20)
    await database.transaction((trx) => add(database.executor(trx)))
    await holding
    expect(await readCounters(other)).toEqual({ a: 2 })
    await close()
  })
})
