import { Kysely } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import { dialectOf } from './dialect-of.ts'
import { createClusterSync } from './galera.ts'
import { GuardedDialect, isGuarded } from './guarded-dialect.ts'
import { type Limits, parseSource } from './parse-source.ts'
import { retryStatements } from './retry.ts'
import { createSqlExecutor } from './sql-executor.ts'
import { runTransaction, type TransactionHost } from './transaction.ts'
import { TransactionScope } from './transaction-scope.ts'
import type { Database, DatabaseSource } from './types.ts'

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** Most connections at once, for PostgreSQL and MariaDB. @default 10 */
  readonly poolSize?: number
  /** Seconds that a statement waits for a lock of another transaction. @default 10 */
  readonly lockTimeout?: number
  /** Seconds to wait for a connection. @default 10 */
  readonly connectTimeout?: number
  /**
   * Seconds that a statement may take, for PostgreSQL and MariaDB. A server that says nothing at all for two seconds more
   * has lost its connection. Migrations may take longer. @default 30
   */
  readonly statementTimeout?: number
}

/**
 * Opens a database. It connects with the first statement; a statement that cannot connect fails with
 * `database_unavailable`, one whose driver is not installed with `driver_missing`.
 *
 * @param source `sqlite:./file.sqlite`, `sqlite::memory:`, `postgres://…`, `mysql://…` (MariaDB), `pglite:./folder`,
 * `pglite:memory`, or a Kysely instance of the application, whose plugins are left out and which stays open
 *
 * `sqlite:` uses Node's own SQLite. When another library opens the same file in this process, give a Kysely instance on
 * that library instead: two copies of SQLite in one process do not see each other's locks, and damage the file
 * (https://www.sqlite.org/howtocorrupt.html#_multiple_copies_of_sqlite_linked_into_the_same_application).
 *
 * @throws ConfigurationError when the source or an option is wrong
 * @example
 * const database = openDatabase<{ post: { id: string } }>('sqlite:./data/app.sqlite')
 * await database.transaction((trx) => trx.insertInto('post').values({ id: 'a' }).execute())
 */
export function openDatabase<Tables = unknown>(
  source: DatabaseSource,
  options: DatabaseOptions = {},
): Database<Tables> {
  const limits = checkOptions(options)
  const scope = new TransactionScope()
  if (isKysely(source)) return fromKysely(source, scope, limits)
  const { dialect, inner, where } = parseSource(source, limits)
  const kysely = new Kysely<Tables>({ dialect: new GuardedDialect(dialect, inner, scope, where) })
  return {
    ...createDatabase({
      dialect,
      kysely,
      scope,
      patience: limits.lockTimeout,
      beginsImmediate: true,
    }),
    kysely,
    close: () => kysely.destroy(),
  }
}

function fromKysely<Tables>(
  source: Kysely<Tables>,
  scope: TransactionScope,
  limits: Limits,
): Database<Tables> {
  const dialect = dialectOf(source)
  const kysely = source.withoutPlugins()
  const beginsImmediate = dialect !== 'sqlite' || isGuarded(kysely)
  const host = { dialect, kysely, scope, patience: limits.lockTimeout, beginsImmediate }
  return {
    ...createDatabase(host),
    get kysely() {
      scope.assertOutside()
      return kysely
    },
    async close() {},
  }
}

/** Told by what we call, so that another copy of Kysely is one too. */
function isKysely(source: DatabaseSource): source is Exclude<DatabaseSource, string> {
  if (typeof source === 'string') return false
  const methods = ['withoutPlugins', 'transaction', 'getExecutor'] as const
  if (methods.every((method) => typeof source?.[method] === 'function')) return true
  throw new ConfigurationError(
    'database',
    'must be a URL such as "sqlite:./data/app.sqlite", or a Kysely instance',
  )
}

function createDatabase<Tables>(
  base: Omit<TransactionHost<Tables>, 'clusterSync'>,
): Pick<Database<Tables>, 'dialect' | 'transaction' | 'executor'> {
  const { dialect, scope } = base
  const clusterSync = dialect === 'mariadb' ? createClusterSync() : null
  const host = { ...base, clusterSync }
  return {
    dialect,
    transaction: (work, options) => runTransaction(host, work, options),
    executor(kysely, { durable = true } = {}) {
      if (kysely.isTransaction) return createSqlExecutor(dialect, kysely, { durable })
      const check = () => scope.assertOutside()
      const prepare =
        clusterSync && ((statement: string) => clusterSync.inFrontOf(kysely, statement))
      return retryStatements(
        createSqlExecutor(dialect, kysely, { check, prepare, durable }),
        base.patience,
      )
    },
  }
}

function checkOptions(options: DatabaseOptions): Limits {
  const { poolSize = 10, lockTimeout = 10, connectTimeout = 10, statementTimeout = 30 } = options
  if (!Number.isInteger(poolSize) || poolSize < 1) {
    throw new ConfigurationError('poolSize', 'must be a positive integer', poolSize)
  }
  for (const [name, seconds] of Object.entries({ lockTimeout, connectTimeout, statementTimeout })) {
    if (!Number.isFinite(seconds) || seconds <= 0)
      throw new ConfigurationError(name, 'must be positive (seconds)', seconds)
  }
  return {
    poolSize,
    lockTimeout: lockTimeout * 1000,
    connectTimeout: connectTimeout * 1000,
    statementTimeout: statementTimeout * 1000,
  }
}
