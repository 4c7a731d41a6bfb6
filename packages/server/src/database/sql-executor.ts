import { CompiledQuery, type Kysely, sql } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import { toDatabaseError } from './errors.ts'
import { relax } from './sqlite.ts'
import type { Dialect, ExecutorOptions, Row, SqlExecutor } from './types.ts'
import { toParameters } from './values.ts'

interface StatementOptions extends ExecutorOptions {
  readonly dialect?: Dialect
  /** Returns the SQL to send for a statement. Throws if the executor must not be used now. */
  readonly prepare?: (statement: string) => Promise<string> | string
}

/**
 * Wraps a Kysely instance, transaction or connection as a {@link SqlExecutor}. Plugins of the
 * application, such as one that renames columns, are not applied.
 *
 * @throws ConfigurationError for a dialect that is not supported
 */
export function createSqlExecutor<Tables>(
  kysely: Kysely<Tables>,
  options: StatementOptions = {},
): SqlExecutor {
  const { prepare, durable = true, dialect = dialectOf(kysely) } = options
  const plain = kysely.withoutPlugins()
  const run = async (statement: string, params: readonly unknown[]) => {
    const parameters = toParameters(dialect, params)
    try {
      const text = prepare ? await prepare(statement) : statement
      const query = CompiledQuery.raw(text, parameters)
      return await plain.executeQuery<Row>(durable ? query : relax(query))
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  return {
    dialect,
    async query(statement, params = []) {
      return (await run(statement, params)).rows
    },
    async execute(statement, params = []) {
      const { numAffectedRows, rows } = await run(statement, params)
      return { affected: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) }
    },
  }
}

/** Detects the dialect from the SQL that Kysely writes. This works with every copy of Kysely. */
export function dialectOf<Tables>(kysely: Kysely<Tables>): Dialect {
  const probe = sql`${sql.id('a')}${1}`.compile(kysely.withoutPlugins()).sql
  if (probe === '"a"$1') return 'postgres'
  if (probe === '"a"?') return 'sqlite'
  if (probe === '`a`?') return 'mariadb'
  throw new ConfigurationError(
    'database',
    'must be a Kysely instance for SQLite, PostgreSQL or MariaDB',
  )
}
