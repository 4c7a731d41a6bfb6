import { migrate, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { notes } from './fixtures/notes-migrations.ts'
import { runNode } from './fixtures/run-node.ts'

describe('migrate', () => {
  describeDatabases((engine) => {
    it('applies each migration once when several processes start at once', async () => {
      const { database, url, close } = await engine.open()
      const applied = await Promise.all(
        Array.from({ length: 3 }, () => runNode('./migrate-process.ts', url)),
      )
      expect(applied.flat().sort()).toEqual(['0001_note', '0002_body'])
      expect(
        await database.executor(database.kysely).query('SELECT name FROM quillgate_migrations'),
      ).toHaveLength(2)
      await close()
    })

    it('applies each migration once if one process calls it many times', async () => {
      const { database, url, close } = await engine.open()
      const others = Array.from({ length: 3 }, () => openDatabase(url, { poolSize: 1 }))
      const applied = await Promise.all(
        [database, database, ...others].map((one) => migrate(one, notes)),
      )
      expect(applied.flat().sort()).toEqual(['0001_note', '0002_body'])
      await Promise.all(others.map((one) => one.close()))
      await close()
    })
  })
})
