import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { columnTypes } from '../../database/column-types.ts'
import type { Database, SqlExecutor } from '../../database/types.ts'
import { toNumber } from '../../database/values.ts'
import { sqlExecutorSuite } from './sql-executor-suite.ts'
import { sqlTag } from './sql-tag.ts'

/** An empty database under test. */
export interface DatabaseFixture {
  readonly database: Database
  close(): Promise<void>
}

/**
 * The contract of {@link Database} as tests, including that of its executors.
 *
 * @param open makes an empty database for each test
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
    let database: Database
    let close: () => Promise<void>

    beforeEach(async () => {
      const fixture = await open()
      database = fixture.database
      close = fixture.close
      const { id, integer, tableSuffix } = columnTypes(database.dialect)
      await inTransaction((executor) =>
        executor.execute(
          `CREATE TABLE counters (id ${id()} PRIMARY KEY, n ${integer} NOT NULL)${tableSuffix}`,
        ),
      )
    })
    afterEach(() => close())

    const inTransaction = <Result>(
      work: (executor: SqlExecutor) => Promise<Result>,
    ): Promise<Result> => database.transaction((trx) => work(database.executor(trx)))
    const insert = async (executor: SqlExecutor, id: string): Promise<void> => {
      const { sql, params } = sqlTag(
        executor.dialect,
      )`INSERT INTO counters (id, n) VALUES (${id}, ${0})`
      await executor.execute(sql, params)
    }
    const read = async (): Promise<Record<string, number>> => {
      const rows = await database
        .executor(database.kysely)
        .query('SELECT id, n FROM counters ORDER BY id')
      return Object.fromEntries(rows.map((row) => [row['id'], toNumber(row['n'])]))
    }

    it('gives what the work returns', async () => {
      expect(await inTransaction(async () => 'done')).toBe('done')
    })

    it('rejects with the error of the work, and does not run it again', async () => {
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

    it('loses no update when many add at once', async () => {
      await inTransaction((executor) => insert(executor, 'a'))
      const add = (): Promise<unknown> =>
        inTransaction((executor) =>
          executor.execute("UPDATE counters SET n = n + 1 WHERE id = 'a'"),
        )
      await Promise.all(Array.from({ length: 20 }, add))
      expect(await read()).toEqual({ a: 20 })
    })

    it('runs again what failed only because of other transactions', async () => {
      let runs = 0
      await inTransaction(async (executor) => {
        await insert(executor, `run-${++runs}`)
        if (runs < 3) throw Object.assign(new Error('deadlock'), { code: '40P01' })
      })
      expect(await read()).toEqual({ 'run-3': 0 })
    })

    it('gives up after the retries that it was given', async () => {
      let runs = 0
      const failing = database.transaction(
        async () => {
          runs++
          throw Object.assign(new Error('deadlock'), { code: '40P01' })
        },
        { retries: 1 },
      )
      await expect(failing).rejects.toMatchObject({ code: 'database_busy', status: 503 })
      expect(runs).toBe(2)
    })

    it('refuses a transaction inside a transaction instead of waiting for itself', async () => {
      const nested = database.transaction(() => database.transaction(async () => 'never'))
      await expect(nested).rejects.toMatchObject({ code: 'transaction_misuse' })
    })

    it('refuses the database inside its own transaction', async () => {
      const outside = database.executor(database.kysely)
      const misuse = database.transaction(() => outside.query('SELECT n FROM counters'))
      await expect(misuse).rejects.toMatchObject({ code: 'transaction_misuse' })
      expect(await outside.query('SELECT n FROM counters')).toEqual([])
    })
  })
}
