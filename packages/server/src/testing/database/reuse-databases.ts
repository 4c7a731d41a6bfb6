import { sql } from 'kysely'
import { migrate } from '../../database/migrate.ts'
import type { MigrationSet } from '../../database/types.ts'
import type { TestDatabase, TestEngine } from './engines.ts'

type Server = 'postgres' | 'mariadb'

interface MigratedDatabase {
  readonly test: TestDatabase<unknown>
  readonly tables: readonly string[]
}

/**
 * Returns an engine that keeps databases with tables for later tests. On a server, creating and
 * dropping tables takes longer than most tests.
 *
 * @param open creates a new, empty database
 */
export function reuseDatabases(name: Server, open: TestEngine['open']): TestEngine {
  const unused = new Map<string, MigratedDatabase[]>()
  return {
    name,
    open,
    async openMigrated<Tables>(sets: readonly MigrationSet[]) {
      const key = sets.map(({ component }) => component).join(' ')
      const databases = unused.get(key) ?? []
      unused.set(key, databases)
      const migrated = databases.pop() ?? (await openWithTables(name, await open(), sets))
      return {
        ...(migrated.test as TestDatabase<Tables>),
        async close() {
          const isEmpty = await empty(name, migrated).catch(() => false)
          if (isEmpty) databases.push(migrated)
          else await migrated.test.close()
        },
      }
    },
    async close() {
      for (const databases of unused.values())
        for (const { test } of databases.splice(0)) await test.close()
    },
  }
}

async function openWithTables(
  name: Server,
  test: TestDatabase<unknown>,
  sets: readonly MigrationSet[],
): Promise<MigratedDatabase> {
  for (const set of sets) await migrate(test.database, set)
  return { test, tables: await tablesOf(name, test) }
}

/**
 * Deletes all rows except the list of applied migrations. Returns false if a test has added or
 * dropped tables.
 */
async function empty(name: Server, { test, tables }: MigratedDatabase): Promise<boolean> {
  if ((await tablesOf(name, test)).join() !== tables.join()) return false
  await test.database.transaction(async (trx) => {
    for (const table of tables)
      if (!table.endsWith('migrations')) await sql`DELETE FROM ${sql.table(table)}`.execute(trx)
  })
  return true
}

const TABLES: Readonly<Record<Server, string>> = {
  postgres:
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1',
  mariadb:
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database() ORDER BY 1',
}

async function tablesOf(name: Server, { database }: TestDatabase<unknown>): Promise<string[]> {
  const rows = await database.executor(database.kysely).query(TABLES[name])
  return rows.map((row) => String(row['name']))
}
