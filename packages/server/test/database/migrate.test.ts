import {
  type Database,
  type MigrationSet,
  migrate,
  migrationSql,
  toNumber,
} from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notes } from './fixtures/notes-migrations.ts'

describeDatabases((engine) => {
  let database: Database
  let close: () => Promise<void>

  beforeEach(async () => {
    const fixture = await engine.open()
    database = fixture.database
    close = fixture.close
  })
  afterEach(() => close())

  const query = (sql: string): Promise<Record<string, unknown>[]> =>
    database.executor(database.kysely).query(sql)
  const withStatement = (statement: string): MigrationSet => ({
    component: 'broken',
    migrations: [
      {
        name: '0001_a',
        statements: (_dialect, prefix) => [`CREATE TABLE IF NOT EXISTS ${prefix}a (n integer)`],
      },
      { name: '0002_b', statements: () => [statement] },
    ],
  })

  describe('migrate', () => {
    it('applies missing migrations in order, and returns their names', async () => {
      expect(await migrate(database, notes)).toEqual(['0001_note', '0002_body'])
      expect(await query('SELECT id, created_at, body FROM quillgate_note')).toEqual([])
    })

    it('does nothing in a second call', async () => {
      await migrate(database, notes)
      expect(await migrate(database, notes)).toEqual([])
    })

    it('applies only migrations that were added later', async () => {
      await migrate(database, { ...notes, migrations: notes.migrations.slice(0, 1) })
      expect(await migrate(database, notes)).toEqual(['0002_body'])
    })

    it('records the component, name and time of each migration', async () => {
      const before = Date.now() - 60_000
      await migrate(database, notes)
      const rows = await query('SELECT * FROM quillgate_migrations ORDER BY name')
      expect(rows.map((row) => [row['component'], row['name']])).toEqual([
        ['notes', '0001_note'],
        ['notes', '0002_body'],
      ])
      const at = toNumber(rows[0]?.['applied_at'])
      expect(at).toBeGreaterThan(before)
      expect(at).toBeLessThan(before + 120_000)
    })

    it('separates components and prefixes', async () => {
      await migrate(database, notes)
      expect(
        await migrate(database, { ...notes, component: 'other' }, { prefix: 'app_' }),
      ).toHaveLength(2)
      expect(await query('SELECT component FROM app_migrations')).toHaveLength(2)
      expect(await query('SELECT component FROM quillgate_migrations')).toHaveLength(2)
    })

    it('ignores migrations of a newer release that it does not know', async () => {
      await migrate(database, notes)
      expect(
        await migrate(database, { ...notes, migrations: notes.migrations.slice(0, 1) }),
      ).toEqual([])
    })

    it('names the migration that failed, and continues after it is repaired', async () => {
      const failing = migrate(database, withStatement('CREATE NONSENSE'))
      await expect(failing).rejects.toMatchObject({
        code: 'migration_failed',
        message: /broken\/0002_b/,
      })
      await expect(failing).rejects.toHaveProperty('cause')
      // MariaDB cannot roll back CREATE TABLE, so the first migration remains recorded there.
      const remaining = ['0001_a', '0002_b'].slice(engine.name === 'mariadb' ? 1 : 0)
      expect(
        await migrate(database, withStatement('CREATE TABLE quillgate_b (n integer)')),
      ).toEqual(remaining)
      expect(await query('SELECT n FROM quillgate_a')).toEqual([])
    })

    it('releases the lock if a migration fails', async () => {
      await expect(migrate(database, withStatement('CREATE NONSENSE'))).rejects.toThrow()
      await expect(migrate(database, withStatement('CREATE NONSENSE'))).rejects.toMatchObject({
        code: 'migration_failed',
      })
    })

    it.each(['', '1a', 'a-b', 'a;b', 'A', `a${'b'.repeat(32)}`])(
      'rejects the prefix %j',
      async (prefix) => {
        await expect(migrate(database, notes, { prefix })).rejects.toMatchObject({
          code: 'configuration_error',
        })
      },
    )
  })

  describe('migrationSql', () => {
    it('returns the whole schema as SQL, so that a later migrate has nothing to do', async () => {
      const statements = migrationSql(notes, engine.name, { prefix: 'app_' })
        .split(/;\n+/)
        .filter(Boolean)
      const executor = database.executor(database.kysely)
      for (const statement of statements) await executor.execute(statement)
      expect(await query('SELECT id, created_at, body FROM app_note')).toEqual([])
      expect(await migrate(database, notes, { prefix: 'app_' })).toEqual([])
    })
  })
})
