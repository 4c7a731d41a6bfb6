import { migrate } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { describe, expect, it } from 'vitest'

describeDatabases((engine) => {
  describe('the migration', () => {
    it('runs again if it was interrupted before it was recorded', async () => {
      const { database, close } = await engine.open()
      try {
        await migrate(database, deviceMigrations)
        if (engine.name === 'sqlite') return // SQLite rolls a failed migration back.
        const sql = database.executor(database.kysely)
        await sql.execute('DELETE FROM quillgate_migrations')
        expect(await migrate(database, deviceMigrations)).toEqual(['0001_devices'])
      } finally {
        await close()
      }
    })
  })
})
