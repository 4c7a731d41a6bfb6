import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { matching } from '../core/checks.ts'
import { ConfigurationError, isQuillgateError, serverError } from '../core/errors.ts'
import { field, type Input, parse } from '../core/schema.ts'
import { column, table } from './columns.ts'
import { withoutStatementLimit } from './database-options.ts'
import { toDatabaseError } from './errors.ts'
import { defineTables } from './tables.ts'
import type { Database, Dialect, MigrationSet, SqlExecutor } from './types.ts'
import { SQL_NOW } from './values.ts'

const LOCK_SECONDS = 600

const PREFIX = 'must be 1 to 32 lower case letters, digits or "_", and must not begin with a digit'
const MIGRATE_OPTIONS = {
  /** The prefix of all table names: 1 to 32 lower case letters, digits or `_`, no digit first. */
  prefix: field(matching(/^[a-z_][a-z0-9_]{0,31}$/, PREFIX), 'quillgate_'),
}

/** Options of {@link migrate} and {@link migrationSql}. */
export type MigrateOptions = Input<typeof MIGRATE_OPTIONS>

const { createStatements } = defineTables({
  migrations: table({ component: column.id(), name: column.id(), appliedAt: column.integer() }, [
    'component',
    'name',
  ]),
})

/**
 * Applies the missing migrations of a component, and records each migration in the table
 * `<prefix>migrations`. If several processes start at once, one migrates and the others wait.
 * PostgreSQL and SQLite apply all migrations or none. MariaDB cannot roll back CREATE TABLE, so the
 * next call repeats a failed migration. Therefore, each statement must work when it runs twice.
 *
 * @returns the names of the migrations that this call applied
 * @throws QuillgateError `migration_failed`, `database_unavailable`, `database_busy`;
 * ConfigurationError for an invalid prefix, and for MySQL or an old MariaDB
 */
export async function migrate<Tables>(
  database: Database<Tables>,
  set: MigrationSet,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { prefix } = parse(MIGRATE_OPTIONS, options)
  return withoutStatementLimit(async () => {
    await checkServer(database)
    if (database.dialect === 'mariadb')
      return withNamedLock(database, prefix, (executor) => apply(executor, set, prefix))
    return database.transaction(async (trx) => {
      const executor = database.executor(trx)
      if (executor.dialect === 'postgres') await takeAdvisoryLock(executor, prefix)
      return apply(executor, set, prefix)
    })
  })
}

/**
 * Returns the schema of a component as SQL, for other migration tools. The SQL also records
 * the migrations, so that a later `migrate` finds nothing to do.
 *
 * @throws ConfigurationError for an invalid prefix
 */
export function migrationSql(
  set: MigrationSet,
  dialect: Dialect,
  options: MigrateOptions = {},
): string {
  const { prefix } = parse(MIGRATE_OPTIONS, options)
  const statements = set.migrations.flatMap((migration) => [
    ...migration.statements(dialect, prefix),
    storeMigration(dialect, prefix, set.component, migration.name),
  ])
  return [...createStatements(dialect, prefix), ...statements]
    .map((statement) => `${statement.trim()};\n`)
    .join('\n')
}

/**
 * Rejects MySQL, and MariaDB before 10.6. These servers lack `INSERT … RETURNING`, `SKIP LOCKED` or
 * atomic DDL.
 *
 * @throws ConfigurationError that names the server's version
 */
export async function checkServer<Tables>(database: Database<Tables>): Promise<void> {
  if (database.dialect !== 'mariadb') return
  const [row] = await database.executor(database.kysely).query('SELECT version() AS version')
  const version = String(row?.['version'])
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)\.\d+-MariaDB/i.exec(version) ?? []).map(Number)
  if (major > 10 || (major === 10 && minor >= 6)) return
  const problem = 'must be MariaDB 10.6 or later; MySQL is not supported'
  throw new ConfigurationError('database', problem, version)
}

async function apply(executor: SqlExecutor, set: MigrationSet, prefix: string): Promise<string[]> {
  const { dialect } = executor
  for (const statement of createStatements(dialect, prefix)) await executor.execute(statement)
  const select = `SELECT name FROM ${prefix}migrations WHERE component = '${set.component}'`
  const done = new Set((await executor.query(select)).map((row) => row['name']))
  const missing = set.migrations.filter(({ name }) => !done.has(name))
  for (const migration of missing) {
    try {
      for (const statement of migration.statements(dialect, prefix))
        await executor.execute(statement)
    } catch (error) {
      throw migrationFailed(`${set.component}/${migration.name}`, error)
    }
    await executor.execute(storeMigration(dialect, prefix, set.component, migration.name))
  }
  return missing.map(({ name }) => name)
}

function storeMigration(dialect: Dialect, prefix: string, component: string, name: string): string {
  const insert = dialect === 'mariadb' ? 'INSERT IGNORE' : 'INSERT'
  const suffix = dialect === 'mariadb' ? '' : ' ON CONFLICT DO NOTHING'
  const values = `'${component}', '${name}', ${SQL_NOW[dialect]}`
  return `${insert} INTO ${prefix}migrations (component, name, applied_at) VALUES (${values})${suffix}`
}

function migrationFailed(name: string, cause: unknown): unknown {
  const known = toDatabaseError(cause)
  if (isQuillgateError(known)) return known
  const reason = cause instanceof Error ? cause.message : String(cause)
  const internal = `Migration ${name} failed: ${reason}`
  const detail = `Migration ${name} failed. See the server log.`
  return serverError('migration_failed', detail, { cause, internal })
}

// The server releases the lock at the end of the transaction.
async function takeAdvisoryLock(executor: SqlExecutor, prefix: string): Promise<void> {
  // An advisory lock applies to one database, so the key does not depend on the database name.
  const key = createHash('sha256').update(`quillgate:migrate:${prefix}`).digest().readBigInt64BE()
  await executor.query(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`)
  await executor.query('SET LOCAL statement_timeout = 0') // Creating a large index can take long.
  await executor.query('SELECT pg_advisory_xact_lock($1::bigint)', [key])
}

// The lock applies to the whole server, so its name depends on the name of the database.
async function withNamedLock<Tables, Result>(
  database: Database<Tables>,
  prefix: string,
  work: (executor: SqlExecutor) => Promise<Result>,
): Promise<Result> {
  return database.kysely.connection().execute(async (connection: Kysely<Tables>) => {
    const executor = database.executor(connection)
    const name = `sha1(concat('quillgate:', database(), ':${prefix}'))`
    await executor.query(
      'SET @quillgate_limit = @@max_statement_time, SESSION max_statement_time = 0',
    )
    try {
      const [lock] = await executor.query(`SELECT get_lock(${name}, ${LOCK_SECONDS}) AS taken`)
      if (lock?.['taken'] !== 1) {
        const detail = 'Another process is migrating the database. Try again later.'
        throw serverError('database_busy', detail)
      }
      return await work(executor)
    } finally {
      await executor.query(`SELECT release_lock(${name}) AS released`)
      await executor.query('SET SESSION max_statement_time = @quillgate_limit')
    }
  })
}
