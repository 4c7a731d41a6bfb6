import { type Database, openDatabase } from '@quillgate/database'
import { sql } from 'kysely'
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
    await expect(executor.execute("INSERT INTO parts VALUES ('nothing')")).rejects.toThrow(/FOREIGN KEY/)
  })

  it('refuses statements after SQLite itself has rolled back', async () => {
    const careless = database.transaction(async (trx) => {
      const executor = database.executor(trx)
      await executor.execute("UPDATE counters SET n = 1 WHERE id = 'a'")
      await executor.execute("INSERT OR ROLLBACK INTO counters VALUES ('a', 0)").catch(() => {})
      await executor.execute("UPDATE counters SET n = 2 WHERE id = 'a'")
    })
    await expect(careless).rejects.toThrow('SQLite has rolled back this transaction.')
    expect(await readCounters(database)).toEqual({ a: 0 })
    await database.transaction((trx) => database.executor(trx).execute('UPDATE counters SET n = 3'))
    expect(await readCounters(database)).toEqual({ a: 3 })
  })

  it("has Kysely's savepoints and streams", async () => {
    const trx = await database.kysely.startTransaction().execute()
    await sql`UPDATE counters SET n = 1`.execute(trx)
    const inner = await trx.savepoint('be"fore').execute()
    await sql`UPDATE counters SET n = 2`.execute(inner)
    await inner.rollbackToSavepoint('be"fore').execute()
    await trx.commit().execute()
    const rows = []
    for await (const row of database.kysely.selectFrom('counters').selectAll().stream()) rows.push(row)
    expect(rows).toEqual([{ id: 'a', n: 1 }])
  })
})
