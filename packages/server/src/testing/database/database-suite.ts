import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { column, table } from '../../database/columns.ts'
import { defineTables } from '../../database/tables.ts'
import type { Database, SqlExecutor } from '../../database/types.ts'
import { toNumber } from '../../database/values.ts'
import { sqlExecutorSuite } from './sql-executor-suite.ts'
import { sqlTag } from './sql-tag.ts'

const tables = defineTables({
  counters: table({ id: column.id(), n: column.integer() }, ['id']),
})

/** An empty database under test. */
export interface DatabaseFixture {
  readonly database: Database
  close(): Promise<void>
}

/**
 * Defines the tests that every {@link Database} and its executors must pass.
 *
 * @param open opens an empty database for each test
 * @example
 * describe('openDatabase on PGlite', () => databaseSuite(openPGlite))
 */
export function databaseSuite(open: () => Promise<DatabaseFixture>): void {
  sqlExecutorSuite(async () => {
    const { database, close } = await open()
    return {
      transaction: (work) => database.transaction((trx) => work(database.executor(trx))),
      close,
    }
  })

  describe('Database.transaction', () => {
    const counters = useCounters(open)
    outcomeCases(counters)
    misuseCases(counters)
  })
}

interface Counters {
  readonly database: () => Database
  inTransaction<Result>(work: (executor: SqlExecutor) => Promise<Result>): Promise<Result>
  insert(executor: SqlExecutor, id: string): Promise<void>
  read(): Promise<Record<string, number>>
}

function useCounters(open: () => Promise<DatabaseFixture>): Counters {
  let fixture: DatabaseFixture
  const counters: Counters = {
    database: () => fixture.database,
    inTransaction: (work) =>
      fixture.database.transaction((trx) => work(fixture.database.executor(trx))),
    async insert(executor, id) {
      const sql = sqlTag(executor.dialect)
      const statement = sql`INSERT INTO counters (id, n) VALUES (${id}, ${0})`
      await executor.execute(statement.sql, statement.params)
    },
    async read() {
      const { database } = fixture
      const outside = database.executor(database.kysely)
      const rows = await outside.query('SELECT id, n FROM counters ORDER BY id')
      return Object.fromEntries(rows.map((row) => [row['id'], toNumber(row['n'])]))
    },
  }
  beforeEach(async () => {
    fixture = await open()
    await counters.inTransaction(async (executor) => {
      for (const statement of tables.createStatements(executor.dialect, ''))
        await executor.execute(statement)
    })
  })
  afterEach(() => fixture.close())
  return counters
}

function outcomeCases({ inTransaction, insert, read }: Counters): void {
  it('returns the result of the work', async () => {
    expect(await inTransaction(async () => 'done')).toBe('done')
  })

  it('rejects with the error of the work, and does not retry it', async () => {
    const failure = new Error('no')
    let runs = 0
    const failing = inTransaction(async (executor) => {
      runs++
      await insert(executor, 'a')
      throw failure
    })
    await expect(failing).rejects.toBe(failure)
    expect(runs).toBe(1)
    expect(await read()).toEqual({})
  })

  it('keeps all concurrent updates', async () => {
    await inTransaction((executor) => insert(executor, 'a'))
    const add = (): Promise<unknown> =>
      inTransaction((executor) => executor.execute("UPDATE counters SET n = n + 1 WHERE id = 'a'"))
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await read()).toEqual({ a: 20 })
  })

  it('retries work that failed only because of other transactions', async () => {
    let runs = 0
    await inTransaction(async (executor) => {
      await insert(executor, `run-${++runs}`)
      if (runs < 3) throw Object.assign(new Error('deadlock'), { code: '40P01' })
    })
    expect(await read()).toEqual({ 'run-3': 0 })
  })
}

function misuseCases({ database }: Counters): void {
  it('stops after five retries for a lock', async () => {
    let runs = 0
    const failing = database().transaction(async () => {
      runs++
      throw Object.assign(new Error('lock not available'), { code: '55P03' })
    })
    await expect(failing).rejects.toMatchObject({ code: 'database_busy', status: 503 })
    expect(runs).toBe(6)
  })

  it('rejects a transaction inside a transaction instead of waiting forever', async () => {
    const nested = database().transaction(() => database().transaction(async () => 'never'))
    await expect(nested).rejects.toMatchObject({ code: 'transaction_misuse' })
  })

  it('rejects statements of the database inside its own transaction', async () => {
    const outside = database().executor(database().kysely)
    const misuse = database().transaction(() => outside.query('SELECT n FROM counters'))
    await expect(misuse).rejects.toMatchObject({ code: 'transaction_misuse' })
    expect(await outside.query('SELECT n FROM counters')).toEqual([])
  })
}
