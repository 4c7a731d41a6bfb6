import { type Column, type Database, column as kind, toNumber } from '@quillgate/server/database'
import { sqlTag } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TABLE_SUFFIX } from '../../src/database/tables.ts'
import { toBoolean } from '../../src/database/values.ts'

const BYTES = { sqlite: 'blob', postgres: 'bytea', mariadb: 'varbinary(1000)' }

describe('toNumber', () => {
  it.each([
    [5, 5],
    [-0.5, -0.5],
    [5n, 5],
    ['5', 5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (value, number) => {
    expect(toNumber(value)).toBe(number)
  })

  it.each([
    [null],
    [undefined],
    [''],
    [' '],
    ['five'],
    [true],
    [{}],
    [2n ** 53n],
    ['9007199254740992'],
    [Number.NaN],
  ])('rejects %s', (value) => {
    expect(() => toNumber(value)).toThrow(expect.objectContaining({ code: 'invalid_number' }))
  })
})

describe('toBoolean', () => {
  it.each([
    [true, true],
    [1, true],
    [1n, true],
    [false, false],
    [0, false],
    [0n, false],
  ])('reads %s', (value, boolean) => {
    expect(toBoolean(value)).toBe(boolean)
  })

  it.each([[null], [undefined], ['true'], ['1'], [2]])('rejects %s', (value) => {
    expect(() => toBoolean(value)).toThrow(expect.objectContaining({ code: 'invalid_boolean' }))
  })
})

describe('columns', () => {
  describeDatabases((engine) => {
    let database: Database
    let close: () => Promise<void>
    const sql = sqlTag(engine.name)

    beforeAll(async () => {
      const fixture = await engine.open()
      database = fixture.database
      close = fixture.close
      const type = (of: Column): string => of.types[engine.name]
      await database.executor(database.kysely).execute(
        `CREATE TABLE things (k ${type(kind.id())} PRIMARY KEY, name ${type(kind.text(100))} UNIQUE,
          body ${type(kind.longText())}, n ${type(kind.integer())}, flag ${type(kind.boolean())},
          bytes ${BYTES[engine.name]})${TABLE_SUFFIX[engine.name]}`,
      )
    })
    afterAll(() => close())

    const run = ({
      sql: text,
      params,
    }: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> =>
      database.executor(database.kysely).query(text, params)
    const roundTrip = async (
      column: 'body' | 'n' | 'flag' | 'bytes' | 'name',
      value: never,
    ): Promise<unknown> => {
      await run(sql`DELETE FROM things`)
      const { sql: insert, params } = sql`INSERT INTO things (k, VALUE) VALUES (${'a'}, ${value})`
      await database.executor(database.kysely).execute(insert.replace('VALUE', column), params)
      return (await run(sql`SELECT * FROM things`))[0]?.[column]
    }

    it.each(['k', 'name'])(
      'compares %s byte by byte: case, accents and trailing spaces matter',
      async (column) => {
        await run(sql`DELETE FROM things`)
        const values =
          column === 'k'
            ? ['a', 'A', 'a ', ' a']
            : ['a', 'A', 'a ', 'á', 'ａ', 'ß', 'ss', '😀', '😁']
        for (const [index, value] of values.entries()) {
          const other = String(index)
          const [k, name] = column === 'k' ? [value, other] : [other, value]
          await run(sql`INSERT INTO things (k, name) VALUES (${k ?? ''}, ${name ?? ''})`)
        }
        for (const value of values) {
          const found =
            column === 'k'
              ? sql`SELECT k FROM things WHERE k = ${value}`
              : sql`SELECT name FROM things WHERE name = ${value}`
          expect((await run(found)).map((row) => row[column])).toEqual([value])
        }
      },
    )

    it('sorts ids byte by byte', async () => {
      await run(sql`DELETE FROM things`)
      for (const k of ['b', 'a', 'B', 'a-', 'a0', 'aa', '_'])
        await run(sql`INSERT INTO things (k) VALUES (${k})`)
      const sorted = (await run(sql`SELECT k FROM things ORDER BY k`)).map((row) => row['k'])
      expect(sorted).toEqual(['B', '_', 'a', 'a-', 'a0', 'aa', 'b'])
    })

    it('stores any text except U+0000', async () => {
      const text = fc
        .string({ unit: 'binary', maxLength: 200 })
        .map((value) => value.replaceAll('\0', '').toWellFormed())
      await fc.assert(
        fc.asyncProperty(text, async (value) => {
          expect(await roundTrip('body', value as never)).toBe(value)
        }),
        { numRuns: 200 },
      )
    })

    it('stores 64-bit integers, and returns a number if it is exact, otherwise text', async () => {
      const edges = [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)]
      const integer = fc.oneof(
        fc.constantFrom(...edges),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      )
      await fc.assert(
        fc.asyncProperty(integer, async (value) => {
          const safe = Number.isSafeInteger(Number(value))
          expect(await roundTrip('n', value as never)).toBe(safe ? Number(value) : value.toString())
        }),
        { numRuns: 100 },
      )
    })

    it('stores a whole number as an integer', async () => {
      expect(await roundTrip('n', 1_800_000_000_000 as never)).toBe(1_800_000_000_000)
      const [row] = await run(sql`SELECT n / ${1000} AS seconds FROM things`)
      expect(toNumber(row?.['seconds'])).toBe(1_800_000_000)
    })

    it('stores bytes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (value) => {
          expect(Buffer.from((await roundTrip('bytes', value as never)) as Uint8Array)).toEqual(
            Buffer.from(value),
          )
        }),
        { numRuns: 50 },
      )
    })

    it('stores booleans and null', async () => {
      expect(toBoolean(await roundTrip('flag', true as never))).toBe(true)
      expect(toBoolean(await roundTrip('flag', false as never))).toBe(false)
      expect(await roundTrip('flag', null as never)).toBeNull()
    })
  })
})
