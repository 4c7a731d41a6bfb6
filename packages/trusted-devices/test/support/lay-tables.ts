import { migrate } from '@quillgate/database'
import type { TestDatabase } from '@quillgate/database/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'

/** What makes the tables as the migrations leave them. */
let statements: Promise<readonly string[]> | undefined

/**
 * On MariaDB, makes the tables of a new database, which takes the migrations a third of a second there: they have an index or
 * a column in each statement. They run on the first database of a test file; others get what stands in that one.
 */
export async function layTables({ database }: TestDatabase<unknown>): Promise<void> {
  if (database.dialect !== 'mariadb') return
  const executor = database.executor(database.kysely)
  if (statements === undefined) {
    statements = migrate(database, deviceMigrations).then(dump)
    await statements
    return
  }
  for (const statement of await statements) await executor.execute(statement)

  async function dump(): Promise<readonly string[]> {
    const tables = (await executor.query('SHOW TABLES')).map((row) => String(Object.values(row)[0]))
    const creations: string[] = []
    for (const table of tables) {
      const [row] = await executor.query(`SHOW CREATE TABLE ${table}`)
      creations.push(String(row?.['Create Table']))
    }
    const done = await executor.query('SELECT component, name, applied_at FROM quillgate_migrations')
    const records = done.map((row) => `('${row['component']}', '${row['name']}', ${row['applied_at']})`)
    const record = `INSERT INTO quillgate_migrations (component, name, applied_at) VALUES ${records.join(', ')}`
    return [...creations, record]
  }
}
