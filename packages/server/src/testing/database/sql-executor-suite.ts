import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Column, column } from '../../database/columns.ts'
import { isUniqueViolation } from '../../database/errors.ts'
import { TABLE_SUFFIX } from '../../database/tables.ts'
import type { SqlExecutor } from '../../database/types.ts'
import { toBoolean, toNumber } from '../../database/values.ts'
import { type SqlStatement, type SqlTag, sqlTag } from './sql-tag.ts'

/** A library under test, with its own empty database. */
export interface SqlExecutorFixture {
  /**
   * Runs `work` in one transaction of the library, with the executor under test, and commits. If
   * `work` rejects, rolls back and rejects with the same error.
   */
  transaction<Result>(work: (executor: SqlExecutor) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/**
 * Defines the tests that every {@link SqlExecutor} must pass, for adapters of database libraries
 * and ORMs.
 *
 * @param open creates a fixture for each test
 */
export function sqlExecutorSuite(open: () => Promise<SqlExecutorFixture>): void {
  describe('SqlExecutor', () => {
    const table = useTable(open)
    queryCases(table)
    valueCases(table)
    transactionCases(table)
  })
}

interface TestTable {
  readonly sql: SqlTag
  transaction<Result>(work: (executor: SqlExecutor) => Promise<Result>): Promise<Result>
  run(statement: SqlStatement): Promise<{ affected: number }>
  select(): Promise<Record<string, unknown>[]>
  insert(id: string, n: number): SqlStatement
}

function useTable(open: () => Promise<SqlExecutorFixture>): TestTable {
  let fixture: SqlExecutorFixture
  let tag: SqlTag
  beforeEach(async () => {
    fixture = await open()
    await fixture.transaction(async (executor) => {
      tag = sqlTag(executor.dialect)
      await executor.execute(createTable(executor.dialect))
    })
  })
  afterEach(() => fixture.close())
  const sql: SqlTag = (strings, ...values) => tag(strings, ...values)
  return {
    sql,
    transaction: (work) => fixture.transaction(work),
    run: (statement) =>
      fixture.transaction((executor) => executor.execute(statement.sql, statement.params)),
    select: () =>
      fixture.transaction((executor) =>
        executor.query('SELECT id, n FROM contract_rows ORDER BY id'),
      ),
    insert: (id, n) => sql`INSERT INTO contract_rows (id, n) VALUES (${id}, ${n})`,
  }
}

function queryCases({ sql, run, select, insert, transaction }: TestTable): void {
  it('returns the rows of a query as objects, in order', async () => {
    await run(insert('b', 2))
    await run(insert('a', 1))
    expect((await select()).map((row) => ({ id: row['id'], n: toNumber(row['n']) }))).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
    ])
  })

  it('returns an empty array if there are no rows', async () => {
    expect(await select()).toEqual([])
  })

  it('counts matched rows, including rows that an UPDATE does not change', async () => {
    await run(insert('a', 1))
    await run(insert('b', 1))
    expect(await run(sql`UPDATE contract_rows SET n = ${1}`)).toEqual({ affected: 2 })
    expect(await run(sql`UPDATE contract_rows SET n = ${1} WHERE id = ${'c'}`)).toEqual({
      affected: 0,
    })
    expect(await run(sql`DELETE FROM contract_rows WHERE id = ${'a'}`)).toEqual({ affected: 1 })
  })

  it('returns the rows of INSERT and DELETE … RETURNING', async () => {
    const inserted = sql`INSERT INTO contract_rows (id, n) VALUES (${'a'}, ${1}) RETURNING id`
    const deleted = sql`DELETE FROM contract_rows RETURNING id`
    const rows = await transaction(async (executor) => [
      ...(await executor.query(inserted.sql, inserted.params)),
      ...(await executor.query(deleted.sql, deleted.params)),
    ])
    expect(rows.map((row) => row['id'])).toEqual(['a', 'a'])
    expect(await select()).toEqual([])
  })
}

function valueCases({ sql, run, transaction }: TestTable): void {
  it('binds hostile text unchanged', async () => {
    const hostile = `'; DROP TABLE contract_rows; -- \\' " \` ? $1 :a %s \u2028 😀 \\`
    await run(sql`INSERT INTO contract_rows (id, body) VALUES (${'a'}, ${hostile})`)
    const [row] = await transaction((executor) => executor.query('SELECT body FROM contract_rows'))
    expect(row?.['body']).toBe(hostile)
  })

  it('stores null, booleans, large integers and bytes', async () => {
    const bytes = new Uint8Array([0, 1, 127, 128, 255])
    await run(
      sql`INSERT INTO contract_rows (id, n, flag, bytes) VALUES (${'a'}, ${2 ** 53 - 1}, ${true}, ${bytes})`,
    )
    await run(
      sql`INSERT INTO contract_rows (id, n, flag, bytes) VALUES (${'b'}, ${null}, ${false}, ${null})`,
    )
    const [a, b] = await transaction((executor) =>
      executor.query('SELECT n, flag, bytes FROM contract_rows ORDER BY id'),
    )
    expect(toNumber(a?.['n'])).toBe(2 ** 53 - 1)
    expect([toBoolean(a?.['flag']), toBoolean(b?.['flag'])]).toEqual([true, false])
    expect(Buffer.from(a?.['bytes'] as Uint8Array)).toEqual(Buffer.from(bytes))
    expect([b?.['n'], b?.['bytes']]).toEqual([null, null])
  })
}

function transactionCases({ sql, run, select, insert, transaction }: TestTable): void {
  it('reads its own writes, and keeps them after the commit', async () => {
    const own = insert('a', 1)
    const seen = await transaction(async (executor) => {
      await executor.execute(own.sql, own.params)
      return executor.query('SELECT id FROM contract_rows')
    })
    expect(seen.map((row) => row['id'])).toEqual(['a'])
    expect(await select()).toHaveLength(1)
  })

  it('leaves no changes if the transaction fails', async () => {
    const own = insert('a', 1)
    const failing = transaction(async (executor) => {
      await executor.execute(own.sql, own.params)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await select()).toEqual([])
  })

  it('runs statements in the order of the calls', async () => {
    const statements = [
      insert('a', 1),
      ...[2, 3, 4].map((n) => sql`UPDATE contract_rows SET n = n * 10 + ${n}`),
    ]
    await transaction((executor) =>
      Promise.all(statements.map((statement) => executor.execute(statement.sql, statement.params))),
    )
    expect(toNumber((await select())[0]?.['n'])).toBe(1234)
  })

  it('rejects a failed statement with an error that identifies a duplicate key', async () => {
    await run(insert('a', 1))
    const error = await run(insert('a', 2)).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(isUniqueViolation(error)).toBe(true)
    const broken = await run({ sql: 'SELECT nonsense FROM nowhere', params: [] }).catch(
      (reason: unknown) => reason,
    )
    expect(broken).toBeInstanceOf(Error)
    expect(isUniqueViolation(broken)).toBe(false)
  })
}

const BYTES = { sqlite: 'blob', postgres: 'bytea', mariadb: 'varbinary(100)' } as const

function createTable(dialect: SqlExecutor['dialect']): string {
  const type = (of: Column): string => of.types[dialect]
  return `CREATE TABLE contract_rows (
    id ${type(column.id())} PRIMARY KEY, n ${type(column.integer())}, flag ${type(column.boolean())},
    body ${type(column.longText())}, bytes ${BYTES[dialect]}
  )${TABLE_SUFFIX[dialect]}`
}
