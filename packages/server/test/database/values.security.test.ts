import type { Database } from '@quillgate/server/database'
import { sqlTag } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { sql as kyselySql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlValue } from '../../src/database/values.ts'
import { createCounters, readCounters } from './fixtures/counters.ts'

/** Values that a request body or a careless cast can pass instead of text. */
const hostile: readonly (readonly [string, unknown])[] = [
  ['an object, which mysql2 writes as `key` = value', { id: 1 }],
  ['an array, which mysql2 writes as a list', ['a', 'b']],
  ['an object with toSqlString', { toSqlString: () => '1 OR 1 = 1' }],
  ['a Date', new Date(0)],
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['an integer beyond 64 bits', 2n ** 63n],
  ['a symbol', Symbol('x')],
]

describe('parameters', () => {
  describeDatabases((engine) => {
    let database: Database
    let close: () => Promise<void>
    const sql = sqlTag(engine.name)

    beforeAll(async () => {
      const fixture = await engine.open()
      database = fixture.database
      close = fixture.close
      await createCounters(database, 'a', 'b')
    })
    afterAll(() => close())

    it.each(hostile)(
      'rejects %s, through the executor and through Kysely',
      async (_what, value) => {
        const { sql: text, params } = sql`DELETE FROM counters WHERE id = ${value as SqlValue}`
        const refused = { code: 'invalid_parameter', status: 500 }
        await expect(
          database.executor(database.kysely).execute(text, params),
        ).rejects.toMatchObject(refused)
        await expect(
          kyselySql`DELETE FROM counters WHERE id = ${value}`.execute(database.kysely),
        ).rejects.toMatchObject(refused)
        expect(await readCounters(database)).toEqual({ a: 0, b: 0 })
      },
    )

    it('throws a 400 error for U+0000 in a text', async () => {
      const { sql: text, params } = sql`SELECT n FROM counters WHERE id = ${'a\0'}`
      await expect(database.executor(database.kysely).query(text, params)).rejects.toMatchObject({
        code: 'invalid_text',
        status: 400,
      })
    })

    it('binds text that looks like SQL as text', async () => {
      for (const id of [
        "a' OR '1' = '1",
        "\\' OR 1 = 1 -- ",
        'a\\',
        "a'; DELETE FROM counters; --",
        '" OR "" = "',
      ]) {
        const { sql: text, params } = sql`DELETE FROM counters WHERE id = ${id}`
        expect(await database.executor(database.kysely).execute(text, params)).toEqual({
          affected: 0,
        })
      }
      expect(await readCounters(database)).toEqual({ a: 0, b: 0 })
    })
  })
})
