import { Kysely } from 'kysely'
import { positiveSeconds, whole } from '../core/checks.ts'
import { ConfigurationError } from '../core/errors.ts'
import { field, type Input, parse } from '../core/schema.ts'
import { dialectOf } from './dialect-of.ts'
import { createClusterSync } from './galera.ts'
import { GuardedDialect, isGuarded } from './guarded-dialect.ts'
import { type Limits, parseSource } from './parse-source.ts'
import { retryStatements } from './retry.ts'
import { createSqlExecutor } from './sql-executor.ts'
import { runTransaction, type TransactionHost } from './transaction.ts'
import { TransactionScope } from './transaction-scope.ts'
import type { Database, DatabaseSource } from './types.ts'

const DATABASE_OPTIONS = {
  /** Most connections at once, for PostgreSQL and MariaDB. */
  poolSize: field(whole(1), 10),
  /** Seconds that a statement waits for a lock of another transaction. */
  lockTimeout: field(positiveSeconds(), 10),
  /** Seconds to wait for a connection. */
  connectTimeout: field(positiveSeconds(), 10),
  /** Seconds that a statement may take; migrations have no limit. */
  statementTimeout: field(positiveSeconds(), 30),
}

/** Options of {@link openDatabase}. */
export type DatabaseOptions = Input<typeof DATABASE_OPTIONS>

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
  const limits = limitsOf(options)
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

function limitsOf(options: DatabaseOptions): Limits {
  const { poolSize, ...seconds } = parse(DATABASE_OPTIONS, options)
  return {
    poolSize,
    lockTimeout: seconds.lockTimeout * 1000,
    connectTimeout: seconds.connectTimeout * 1000,
    statementTimeout: seconds.statementTimeout * 1000,
  }
}
