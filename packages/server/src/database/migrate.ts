import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { QuillgateError, serverError } from '../core/errors.ts'
import { checkServer } from './check-server.ts'
import { toDatabaseError } from './errors.ts'
import {
  checkMigrationSet,
  checkPrefix,
  createMigrationsTable,
  DEFAULT_PREFIX,
  type MigrateOptions,
  recordMigration,
} from './migration-sql.ts'
import { withoutStatementLimit } from './statement-limit.ts'
import type { Database, MigrationSet, SqlExecutor } from './types.ts'

/** How long one process waits while another one migrates. */
const LOCK_SECONDS = 600

/**
 * Brings the schema of a component up to date, and records each step in the table
 * `<prefix>migrations`. When several processes start at once, one migrates and the others wait.
 * PostgreSQL and SQLite apply all steps or none; MariaDB cannot undo CREATE TABLE, so there a
 * failed step runs again from its start, and its statements must be repeatable.
 *
 * @returns the names of the migrations that this call applied
 * @throws QuillgateError `migration_failed`, `database_unavailable`, `database_busy`;
 * ConfigurationError for a bad prefix or set, and for MySQL or an old MariaDB
 */
export async function migrate<Tables>(
  database: Database<Tables>,
  set: MigrationSet,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { prefix = DEFAULT_PREFIX } = options
  checkPrefix(prefix)
  checkMigrationSet(set)
  return withoutStatementLimit(() => migrateLocked(database, set, prefix))
}

async function migrateLocked<Tables>(
  database: Database<Tables>,
  set: MigrationSet,
  prefix: string,
): Promise<string[]> {
  await checkServer(database)
  if (database.dialect === 'mariadb')
    return withNamedLock(database, prefix, (executor) => apply(executor, set, prefix))
  return database.transaction(async (trx) => {
    const executor = database.executor(trx)
    if (executor.dialect === 'postgres') await takeAdvisoryLock(executor, prefix)
    return apply(executor, set, prefix)
  })
}

async function apply(executor: SqlExecutor, set: MigrationSet, prefix: string): Promise<string[]> {
  const { dialect } = executor
  await executor.execute(createMigrationsTable(dialect, prefix))
  // The names were checked, so they need no quotes.
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
    await executor.execute(recordMigration(dialect, prefix, set.component, migration.name))
  }
  return missing.map(({ name }) => name)
}

function migrationFailed(name: string, error: unknown): unknown {
  const known = toDatabaseError(error)
  if (known instanceof QuillgateError) return known
  return serverError(
    'migration_failed',
    `Migration ${name} failed. The log of the server says why.`,
    {
      cause: error,
      internal: `Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`,
    },
  )
}

/** Held to the end of the transaction, by the server. */
async function takeAdvisoryLock(executor: SqlExecutor, prefix: string): Promise<void> {
  const key = createHash('sha256').update(`quillgate:migrate:${prefix}`).digest().readBigInt64BE()
  await executor.query(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`)
  await executor.query('SET LOCAL statement_timeout = 0') // An index on a large table takes its time.
  // PostgreSQL's advisory locks belong to one database, so the prefix is enough.
  await executor.query('SELECT pg_advisory_xact_lock($1::bigint)', [key])
}

/** MariaDB's named locks belong to the server and to one connection. */
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
        throw serverError(
          'database_busy',
          'Another process is migrating the database. Try again later.',
        )
      }
      return await work(executor)
    } finally {
      await executor.query(`SELECT release_lock(${name}) AS released`)
      await executor.query('SET SESSION max_statement_time = @quillgate_limit')
    }
  })
}
