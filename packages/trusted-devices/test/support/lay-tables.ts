import { migrate } from '@quillgate/server/database'
import type { TestDatabase } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'

/**
 * Statements that make the tables as the migrations leave them, by what decides them. It is module state, which test files
 * may share: it holds nothing of a test, only what each of them would work out again.
 */
const known = new Map<string, Promise<readonly string[]>>()

/**
 * On MariaDB, makes the tables of a new database, which takes the migrations a third of a second there: they have an index or
 * a column in each statement. They run on the first database that this process makes on a server; others get what stands in
 * that one. A database that has tables already is left to its migrations.
 */
export async function layTables({ database, url }: TestDatabase<unknown>): Promise<void> {
  if (database.dialect !== 'mariadb') return
  const executor = database.executor(database.kysely)
  if ((await executor.query('SHOW TABLES')).length > 0) return
  const key = [new URL(url).host, ...deviceMigrations.migrations.map(({ name }) => name)].join(' ')
  const statements = known.get(key)
  if (statements !== undefined) {
    for (const statement of await statements) await executor.execute(statement)
    return
  }
  const first = migrate(database, deviceMigrations).then(dump)
  known.set(key, first)
  try {
    await first
  } catch (error) {
    known.delete(key) // The next database tries for itself.
    throw error
  }

  async function dump(): Promise<readonly string[]> {
    const tables = (await executor.query('SHOW TABLES')).map((row) => String(Object.values(row)[0]))
    const creations: string[] = []
    for (const table of tables) {
      const [row] = await executor.query(`SHOW CREATE TABLE ${table}`)
      creations.push(String(row?.['Create Table']))
    }
    const done = await executor.query(
      'SELECT component, name, applied_at FROM quillgate_migrations',
    )
    const records = done.map(
      (row) => `('${row['component']}', '${row['name']}', ${row['applied_at']})`,
    )
    const record = `INSERT INTO quillgate_migrations (component, name, applied_at) VALUES ${records.join(', ')}`
    return [...creations, record]
  }
}
