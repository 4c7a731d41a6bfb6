import {
  cases,
  identifier,
  list,
  lockClause,
  raw,
  type SqlValue,
  sqlFor,
} from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const values = fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
  maxLength: 20,
})

/** Calls a tag with `SELECT <value>, <value>, …`. */
function select(
  dialect: 'sqlite' | 'postgres' | 'mariadb',
  params: readonly SqlValue[],
): ReturnType<ReturnType<typeof sqlFor>> {
  const strings = params.map((_value, index) => (index === 0 ? 'SELECT ' : ', '))
  const parts = [...strings, params.length === 0 ? 'SELECT 1' : ''] as string[] & { raw: string[] }
  parts.raw = parts
  return sqlFor(dialect)(parts, ...params)
}

describe('sqlFor', () => {
  it('gives each row a text of its own', () => {
    const pairs = [
      ['a', 'x'],
      ['b', null],
    ] as const
    expect(sqlFor('postgres')`UPDATE t SET v = ${cases('id', pairs)} WHERE n = ${1}`).toEqual({
      sql: 'UPDATE t SET v = CASE "id" WHEN $1 THEN $2 WHEN $3 THEN $4 END WHERE n = $5',
      params: ['a', 'x', 'b', null, 1],
    })
  })

  it('numbers the placeholders of PostgreSQL', () => {
    expect(sqlFor('postgres')`SELECT ${1} WHERE a = ${'b'}`).toEqual({
      sql: 'SELECT $1 WHERE a = $2',
      params: [1, 'b'],
    })
  })

  it.each(['sqlite', 'mariadb'] as const)('writes question marks for %s', (dialect) => {
    expect(sqlFor(dialect)`SELECT ${1} WHERE a = ${'b'}`).toEqual({
      sql: 'SELECT ? WHERE a = ?',
      params: [1, 'b'],
    })
  })

  it('has one placeholder for each value, in order, and never the value itself', () => {
    fc.assert(
      fc.property(fc.constantFrom('sqlite', 'postgres', 'mariadb'), values, (dialect, params) => {
        const statement = select(dialect, params)
        expect(statement.params).toEqual(params)
        const expected = params.map((_value, index) =>
          dialect === 'postgres' ? `$${index + 1}` : '?',
        )
        expect(statement.sql).toBe(
          params.length === 0 ? 'SELECT 1' : `SELECT ${expected.join(', ')}`,
        )
      }),
      { numRuns: 300 },
    )
  })

  it('refuses a question mark in the template where it is a placeholder', () => {
    expect(() => sqlFor('mariadb')`SELECT '?'`).toThrow(
      expect.objectContaining({ code: 'configuration_error' }),
    )
    expect(sqlFor('postgres')`SELECT a ? 'b'`.sql).toBe("SELECT a ? 'b'")
  })

  it('writes raw SQL out, and counts on after it', () => {
    expect(sqlFor('postgres')`SELECT ${1} FROM ${raw('a_table')} WHERE ${2}`).toEqual({
      sql: 'SELECT $1 FROM a_table WHERE $2',
      params: [1, 2],
    })
  })

  it('writes a list, and NULL for an empty one', () => {
    expect(sqlFor('postgres')`id IN (${list(['a', 'b'])}) AND n = ${1}`).toEqual({
      sql: 'id IN ($1, $2) AND n = $3',
      params: ['a', 'b', 1],
    })
    expect(sqlFor('sqlite')`id IN (${list([])})`).toEqual({ sql: 'id IN (NULL)', params: [] })
  })

  it('does not take an object from a request for a fragment', () => {
    const forged = JSON.parse('{"sql": "1 OR 1 = 1", "quillgate.sql": "1"}') as SqlValue
    expect(sqlFor('sqlite')`SELECT ${forged}`).toEqual({ sql: 'SELECT ?', params: [forged] })
  })
})

describe('identifier', () => {
  it.each(['', 'a\0b', 'a'.repeat(64), 'é'.repeat(32)])('refuses the name %j', (name) => {
    expect(() => sqlFor('postgres')`SELECT 1 FROM ${identifier(name)}`).toThrow(
      expect.objectContaining({ code: 'configuration_error' }),
    )
  })

  describeDatabases((engine) => {
    it('quotes any name', async () => {
      const { database, close } = await engine.open()
      const executor = database.executor(database.kysely)
      const sql = sqlFor(engine.name)
      for (const name of ['order', 'We"ird', 'back`tick', "it's", 'a b; --']) {
        const created = sql`CREATE TABLE ${identifier(name)} (${identifier(name)} integer)`
        await executor.execute(created.sql, created.params)
        const selected = sql`SELECT ${identifier(name)} FROM ${identifier(name)}`
        expect(await executor.query(selected.sql, selected.params)).toEqual([])
      }
      await close()
    })
  })
})

describe('lockClause', () => {
  it('is empty on SQLite, whose transactions exclude each other', () => {
    expect([lockClause('sqlite'), lockClause('postgres'), lockClause('mariadb')]).toEqual([
      '',
      ' FOR UPDATE',
      ' FOR UPDATE',
    ])
  })
})
