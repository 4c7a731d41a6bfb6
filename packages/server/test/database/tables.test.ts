import { setImmediate } from 'node:timers/promises'
import {
  column,
  defineTables,
  openDatabase,
  type Row,
  table,
  toNumber,
} from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const tables = defineTables({
  visitor: table(
    {
      id: column.id(),
      userName: column.text(100),
      kind: column.word<'person' | 'robot'>(16),
      isTrusted: column.boolean(),
      lastSeenAt: column.integer().orNull(),
    },
    ['id'],
    [{ name: 'by_name', columns: ['userName', 'id'] }],
  ),
  visitPage: table({ visitorId: column.id(), page: column.text(100), hits: column.integer() }, [
    'visitorId',
    'page',
  ]),
})

const ADA = { id: 'a', userName: 'Ada', kind: 'person', isTrusted: true, lastSeenAt: null } as const

describeDatabases((engine) => {
  describe('defineTables', () => {
    let test: Awaited<ReturnType<typeof engine.open>>
    const db = () => tables.on(test.database.executor(test.database.kysely), 'app_')

    beforeAll(async () => {
      test = await engine.open()
      const executor = test.database.executor(test.database.kysely)
      // Each statement runs twice, because a failed migration on MariaDB is repeated from its
      // beginning.
      for (const statement of [1, 2].flatMap(() =>
        tables.createStatements(executor.dialect, 'app_'),
      ))
        await executor.execute(statement)
    })
    afterAll(() => test.close())
    beforeEach(async () => {
      await db().deleteFrom('visitor').execute()
      await db().deleteFrom('visitPage').execute()
    })

    it('writes and reads rows with the same results on every database', async () => {
      const bob = {
        ...ADA,
        id: 'b',
        kind: 'robot',
        isTrusted: false,
        lastSeenAt: 2 ** 53 - 1,
      } as const
      await db().insertInto('visitor').values([ADA, bob]).execute()
      const rows = await db().selectFrom('visitor').selectAll().orderBy('id').execute()
      expect(rows).toEqual([ADA, bob])
      const trusted = db().selectFrom('visitor').select(['id', 'isTrusted'])
      expect(await trusted.where('isTrusted', '=', true).execute()).toEqual([
        { id: 'a', isTrusted: true },
      ])
    })

    it('counts matching rows, including unchanged ones', async () => {
      await db().insertInto('visitor').values(ADA).execute()
      const update = db().updateTable('visitor').set({ userName: 'Ada' }).where('id', '=', 'a')
      expect((await update.executeTakeFirst()).numUpdatedRows).toBe(1n)
      const none = db().deleteFrom('visitor').where('id', '=', 'z')
      expect((await none.executeTakeFirst()).numDeletedRows).toBe(0n)
    })

    it('joins tables that have aliases', async () => {
      await db().insertInto('visitor').values(ADA).execute()
      await db()
        .insertInto('visitPage')
        .values([
          { visitorId: 'a', page: '/', hits: 2 },
          { visitorId: 'a', page: '/b', hits: 3 },
        ])
        .execute()
      const row = await db()
        .selectFrom('visitor as v')
        .innerJoin('visitPage', 'visitPage.visitorId', 'v.id')
        .select((eb) => ['v.userName', eb.fn.sum('visitPage.hits').as('total')])
        .groupBy('v.userName')
        .executeTakeFirstOrThrow()
      expect([row.userName, toNumber(row.total)]).toEqual(['Ada', 5])
    })

    it('ignores or updates existing rows', async () => {
      const page = { visitorId: 'a', page: '/', hits: 1 }
      const insert = () => db().insertInto('visitPage').values(page)
      const ignored = () => insert().onConflict((conflict) => conflict.doNothing())
      expect((await ignored().executeTakeFirst()).numInsertedOrUpdatedRows).toBe(1n)
      expect((await ignored().executeTakeFirst()).numInsertedOrUpdatedRows).toBe(0n)
      const updated = await insert()
        .onConflict((conflict) =>
          conflict
            .columns(['visitorId', 'page'])
            .doUpdateSet((eb) => ({ hits: eb('visitPage.hits', '+', 1) })),
        )
        .returning('hits')
        .executeTakeFirstOrThrow()
      expect(updated).toEqual({ hits: 2 })
    })

    it('runs in a transaction, locks rows, and is rolled back with the transaction', async () => {
      await db().insertInto('visitor').values(ADA).execute()
      const failing = test.database.transaction(async (trx) => {
        const tx = tables.on(test.database.executor(trx), 'app_')
        const locked = tx.selectFrom('visitor').select('id').where('id', '=', 'a').forUpdate()
        expect(await locked.execute()).toEqual([{ id: 'a' }])
        await tx.updateTable('visitor').set({ userName: 'Eve' }).execute()
        throw new Error('undo')
      })
      await expect(failing).rejects.toThrow('undo')
      expect(await db().selectFrom('visitor').select('userName').execute()).toEqual([
        { userName: 'Ada' },
      ])
    })
  })
})

describe('defineTables', () => {
  it('rejects a column with two types', () => {
    const define = () =>
      defineTables({
        one: table({ at: column.integer() }, ['at']),
        two: table({ at: column.id() }, ['at']),
      })
    expect(define).toThrow('with the same type in each table')
  })

  it('creates partial indexes except on MariaDB', () => {
    const index = { name: 'late', columns: ['at'], where: 'at > 5', unique: true } as const
    const { createStatements } = defineTables({
      one: table({ at: column.integer() }, ['at'], [index]),
    })
    expect(createStatements('sqlite', 'p_')[1]).toBe(
      'CREATE UNIQUE INDEX IF NOT EXISTS p_one_late ON p_one (at) WHERE at > 5',
    )
    expect(createStatements('mariadb', 'p_')[1]).toBe(
      'CREATE UNIQUE INDEX IF NOT EXISTS p_one_late ON p_one (at)',
    )
  })

  it.each(['sqlite', 'postgres', 'mariadb'] as const)(
    'does not wait for other statements, so that several share one sync (%s)',
    async (dialect) => {
      const running: (() => void)[] = []
      const query = () => new Promise<Row[]>((resolve) => running.push(() => resolve([])))
      const db = tables.on({ dialect, query, execute: async () => ({ affected: 0 }) }, '')
      const select = () => db.selectFrom('visitor').selectAll().execute()
      const selects = [select(), select(), select()]
      await setImmediate()
      expect(running).toHaveLength(3)
      for (const end of running) end()
      expect(await Promise.all(selects)).toEqual([[], [], []])
    },
  )

  it('cannot begin a transaction', async () => {
    const database = openDatabase('sqlite::memory:')
    const db = tables.on(database.executor(database.kysely), '')
    await expect(db.transaction().execute(async () => {})).rejects.toThrow('transaction()')
    await database.close()
  })
})
