import { Kysely, type MysqlPool, PostgresDialect, type PostgresPool } from 'kysely'
import { positiveSeconds, whole } from '../core/checks.ts'
import { ConfigurationError } from '../core/errors.ts'
import { field, type Input, parse } from '../core/schema.ts'
import { dialectOf } from './dialect-of.ts'
import { createClusterSync } from './galera.ts'
import { GuardedDialect, isGuarded } from './guarded-dialect.ts'
import { MariadbDialect } from './mariadb.ts'
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
 * Opens a database. It connects with the first statement; a statement that cannot connect fails
 * with `database_unavailable`, one whose driver is not installed with `driver_missing`.
 *
 * @param source `sqlite:./file.sqlite`, `sqlite::memory:`, `postgres://…`, `mysql://…` (MariaDB),
 * `pglite:./folder`, `pglite:memory`, or a Kysely instance or a pool (`pg`, `mysql2`) of the
 * application, which stays open; plugins of Kysely are left out
 *
 * `sqlite:` uses Node's own SQLite. When another library opens the same file in this process, give
 * a Kysely instance on that library instead: two copies of SQLite in one process do not see each
 * other's locks, and damage the file
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
  if (typeof source !== 'string') return fromKysely(toKysely(source), scope, limits)
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

/** Recognises sources by their methods, so that another copy of a package works too. */
function toKysely<Tables>(source: Exclude<DatabaseSource, string>): Kysely<Tables> {
  if (hasMethods<Kysely<Tables>>(source, 'withoutPlugins', 'transaction', 'getExecutor'))
    return source
  const pool = hasMethods<MysqlPool>(source, 'getConnection') ? coreOf(source) : null
  if (pool) return new Kysely({ dialect: new MariadbDialect({ pool }) })
  if (hasMethods<PostgresPool>(source, 'connect', 'end'))
    return new Kysely({ dialect: new PostgresDialect({ pool: source }) })
  throw new ConfigurationError(
    'database',
    'must be a URL such as "sqlite:./data/app.sqlite", a Kysely instance, or a pool of pg or mysql2',
  )
}

function hasMethods<Source>(
  source: unknown,
  ...names: readonly (keyof Source)[]
): source is Source {
  return names.every((name) => typeof (source as Source | null)?.[name] === 'function')
}

/** The pool with callbacks, which a pool of `mysql2/promise` wraps. */
function coreOf(pool: MysqlPool): MysqlPool {
  return 'pool' in pool ? (pool.pool as MysqlPool) : pool
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
