import { resolve } from 'node:path'
import {
  Kysely,
  type Dialect as KyselyDialect,
  type MysqlPool,
  PostgresDialect,
  type PostgresPool,
} from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import { parse } from '../core/schema.ts'
import { DATABASE_OPTIONS, type DatabaseOptions, type Limits } from './database-options.ts'
import { ClusterSync } from './galera.ts'
import { MariadbDialect, mariadbDialect } from './mariadb.ts'
import { pgliteDialect, postgresDialect } from './postgres.ts'
import { retryStatements } from './retry.ts'
import { createSqlExecutor, dialectOf } from './sql-executor.ts'
import { sqliteDialect } from './sqlite.ts'
import { guardDialect, runTransaction, scopeOf, transactionExecutor } from './transaction.ts'
import type { Database, DatabaseSource } from './types.ts'

/**
 * Opens a database. The first statement connects. If the connection fails, the statement throws
 * `database_unavailable`. If the driver is not installed, the statement throws `driver_missing`.
 *
 * @param source `sqlite:./file.sqlite`, `sqlite::memory:`, `postgres://…`, `mysql://…` (MariaDB),
 * `pglite:./folder` or `pglite:memory`. It can also be a Kysely instance or a pool (`pg`, `mysql2`)
 * of the application, which `close()` leaves open. Kysely plugins of the application are ignored.
 *
 * `sqlite:` uses Node's own SQLite. If another library opens the same file in this process, pass a
 * Kysely instance that uses that library instead. Two copies of SQLite in one process ignore each
 * other's locks and can damage the file
 * (https://www.sqlite.org/howtocorrupt.html#_multiple_copies_of_sqlite_linked_into_the_same_application).
 *
 * @throws ConfigurationError if the source or an option is wrong
 * @example
 * const database = openDatabase<{ post: { id: string } }>('sqlite:./data/app.sqlite')
 * await database.transaction((trx) => trx.insertInto('post').values({ id: 'a' }).execute())
 */
export function openDatabase<Tables = unknown>(
  source: DatabaseSource,
  options: DatabaseOptions = {},
): Database<Tables> {
  const limits = parse(DATABASE_OPTIONS, options)
  const ours = typeof source === 'string' ? parseSource(source, limits) : null
  const kysely: Kysely<Tables> = ours
    ? new Kysely({ dialect: guardDialect(ours) })
    : toKysely<Tables>(source).withoutPlugins()
  const scope = scopeOf(kysely)
  const dialect = dialectOf(kysely)
  const clusterSync = dialect === 'mariadb' ? new ClusterSync() : null
  const patience = limits.lockTimeout * 1000
  const beginsImmediate = dialect !== 'sqlite' || ours !== null
  const host = { dialect, kysely, scope, patience, beginsImmediate, clusterSync }
  return {
    dialect,
    get kysely() {
      scope.assertOutside()
      return kysely
    },
    transaction: (work) => runTransaction(host, work),
    executor(place, { durable = true } = {}) {
      if (place.isTransaction) return transactionExecutor(place, dialect)
      const prepare = (statement: string): Promise<string> | string => {
        scope.assertOutside()
        return clusterSync?.inFrontOf(place, statement) ?? statement
      }
      return retryStatements(createSqlExecutor(place, { dialect, prepare, durable }), patience)
    },
    async close() {
      scope.assertOutside()
      if (ours) await kysely.destroy()
    },
  }
}

// Does not use `instanceof`, because the application can have another copy of a package.
function toKysely<Tables>(source: DatabaseSource): Kysely<Tables> {
  if (looksLike<Kysely<Tables>>(source, 'withoutPlugins', 'transaction', 'getExecutor'))
    return source
  const pool = looksLike<MysqlPool>(source, 'getConnection') ? coreOf(source) : null
  if (pool) return new Kysely({ dialect: new MariadbDialect({ pool }) })
  if (looksLike<PostgresPool>(source, 'connect', 'end'))
    return new Kysely({ dialect: new PostgresDialect({ pool: source }) })
  throw new ConfigurationError(
    'database',
    'must be a URL such as "sqlite:./data/app.sqlite", a Kysely instance, or a pool of pg or mysql2',
  )
}

function looksLike<Source>(source: unknown, ...names: readonly (keyof Source)[]): source is Source {
  return names.every((name) => typeof (source as Source | null)?.[name] === 'function')
}

// A pool of `mysql2/promise` wraps a pool with a callback API.
function coreOf(pool: MysqlPool): MysqlPool {
  return 'pool' in pool ? (pool.pool as MysqlPool) : pool
}

const WANTED = 'must begin with sqlite:, postgres://, mysql:// or pglite:'

/** @throws ConfigurationError; its message omits the URL, which may contain a password */
function parseSource(source: string, limits: Limits): KyselyDialect {
  const scheme = /^[a-z]+(?=:)/.exec(source)?.[0]
  const rest = source.slice((scheme?.length ?? 0) + 1)
  switch (scheme) {
    case 'sqlite':
      return sqliteDialect(rest === ':memory:' ? rest : filePath(scheme, rest), limits)
    case 'pglite':
      return pgliteDialect(rest === 'memory' ? rest : filePath(scheme, rest))
    case 'postgres':
    case 'postgresql':
      return postgresDialect(source, placeOf(source, scheme), limits)
    case 'mysql':
    case 'mariadb':
      return mariadbDialect(source, placeOf(source, scheme), limits)
    default:
      throw new ConfigurationError('database', WANTED, scheme)
  }
}

const FILES = {
  sqlite:
    '"sqlite:" followed by a path, for example "sqlite:./data/app.sqlite", or "sqlite::memory:"',
  pglite: '"pglite:" followed by a path, for example "pglite:./data/pglite", or "pglite:memory"',
} as const

// Accepts `./a`, `/a` and `///a`.
function filePath(scheme: keyof typeof FILES, rest: string): string {
  const path = rest.replace(/^\/\//, '')
  // Rejects file names such as `memory` or `https:…`, because they are almost always a mistake.
  const isMistake = path !== path.trim() || /^$|^:|^[a-z]{2,}:|^memory$/i.test(path)
  // The path is not shown, because it may be another URL with a password.
  if (isMistake) throw new ConfigurationError('database', `must be ${FILES[scheme]}`)
  return resolve(path)
}

// Returns the URL of the database without the password, for error messages. If the password
// contains an unencoded `/`, `new URL` puts parts of the password into the host and the path. In
// this case, both are left out.
function placeOf(source: string, scheme: string): string {
  if (!source.startsWith(`${scheme}://`) || !URL.canParse(source))
    throw new ConfigurationError('database', `must be a URL such as ${scheme}://user@host/name`)
  const { protocol, host, pathname, search, hash } = new URL(source)
  return (pathname + search + hash).includes('@')
    ? `${protocol}//…`
    : `${protocol}//${host}${pathname}`
}
