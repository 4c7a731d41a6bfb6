import { identifier, migrate, raw, sqlFor } from '@quillgate/database'
import { describeDatabases } from '@quillgate/database/testing'
import { describe, expect, it } from 'vitest'

describe('openDatabase', () => {
  describeDatabases((engine) => {
    it('first light', async () => {
      const { database, close } = await engine.open<{ a: { id: string; n: number } }>()
      const done = await migrate(database, {
        component: 'x',
        migrations: [
          {
            name: '0001_a',
            statements: (_d, p) => [`CREATE TABLE IF NOT EXISTS ${p}a (id varchar(10) PRIMARY KEY, n bigint)`],
          },
        ],
      })
      expect(done).toEqual(['0001_a'])
      const sql = sqlFor(database.dialect)
      const affected = await database.transaction(async (trx) => {
        const ex = database.executor(trx)
        const s = sql`INSERT INTO ${identifier('quillgate_a')} (id, n) VALUES (${'x'}, ${5})`
        return ex.execute(s.sql, s.params)
      })
      expect(affected).toEqual({ affected: 1 })
      const s = sql`SELECT * FROM ${raw('quillgate_a')}`
      expect(await database.executor(database.kysely).query(s.sql, s.params)).toEqual([{ id: 'x', n: 5 }])
      const d = sql`DELETE FROM ${raw('quillgate_a')} WHERE n = ${5} RETURNING id`
      expect(await database.executor(database.kysely).query(d.sql, d.params)).toEqual([{ id: 'x' }])
      await close()
    })
  })
})
