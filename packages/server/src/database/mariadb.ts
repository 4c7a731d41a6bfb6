import type { Duplex } from 'node:stream'
import {
  type DialectAdapter,
  type Dialect as KyselyDialect,
  MysqlAdapter,
  MysqlDialect,
  type MysqlPool,
} from 'kysely'
import type { Pool, PoolConnection } from 'mysql2'
import { loadPackage } from '../core/load-package.ts'
import { withTimeout } from '../core/with-timeout.ts'
import { type Limits, limitStatements } from './limits.ts'

/** Kysely on `mysql2`, for MariaDB. Connects with the first statement. */
export function mariadbDialect(url: string, limits: Limits): KyselyDialect {
  return new MariadbDialect({ pool: () => createPool(url, limits) })
}

/** Kysely's MySQL dialect with RETURNING. */
export class MariadbDialect extends MysqlDialect {
  override createAdapter(): DialectAdapter {
    return new MariadbAdapter()
  }
}

/** Keeps the rows of INSERT and DELETE … RETURNING, which MySQL does not have. */
export class MariadbAdapter extends MysqlAdapter {
  override get supportsReturning(): boolean {
    return true
  }
}

/**
 * Makes a session independent of the server's configuration. mysql2 escapes parameters on the
 * client, which is only right in a sql_mode without NO_BACKSLASH_ESCAPES, so that is fixed here
 * too.
 */
function sessionSettings(limits: Limits): string[] {
  const variables = [
    'NAMES utf8mb4 COLLATE utf8mb4_nopad_bin',
    "SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
    "SESSION time_zone = '+00:00'",
    `SESSION innodb_lock_wait_timeout = ${Math.ceil(limits.lockTimeout / 1000)}`,
    `SESSION max_statement_time = ${limits.statementTimeout / 1000}`,
  ]
  return [`SET ${variables.join(', ')}`, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED']
}

/**
 * Returns a pool of mysql2 as Kysely wants it, with limits that mysql2 does not have: how long to
 * wait for a connection while all are in use, and how long a statement may take. Sessions get their
 * settings here, because Kysely would lose a connection for which they fail.
 */
async function createPool(url: string, limits: Limits): Promise<MysqlPool> {
  const { createPool: create } = await loadPackage('mysql2', 'MariaDB', () => import('mysql2'))
  const pool = create({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    charset: 'utf8mb4',
    connectionLimit: limits.poolSize,
    connectTimeout: limits.connectTimeout,
    supportBigNumbers: true, // Integers beyond 2^53 arrive as text instead of rounded.
    dateStrings: true,
  })
  const prepared = new WeakSet<PoolConnection>()
  const connect = async (): Promise<PoolConnection> => {
    const connection = await takeConnection(pool, limits)
    if (!prepared.has(connection)) await prepare(connection, limits)
    prepared.add(connection)
    return connection
  }
  return {
    getConnection: (give: (error: unknown, connection?: PoolConnection) => void) =>
      connect().then((connection) => give(null, connection), give),
    end: (done: (error: unknown) => void) => pool.end(done),
  } as unknown as MysqlPool
}

function takeConnection(pool: Pool, { connectTimeout }: Limits): Promise<PoolConnection> {
  const taking = new Promise<PoolConnection>((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)))
  })
  return withTimeout(connectTimeout / 1000, taking, () => {
    taking.then((connection) => connection.release()).catch(() => {})
    const error = new Error('timeout exceeded when trying to connect')
    throw Object.assign(error, { code: 'ETIMEDOUT' })
  })
}

async function prepare(connection: PoolConnection, limits: Limits): Promise<void> {
  limitStatements(connection, limits.statementTimeout, (error) =>
    socketOf(connection).destroy(error),
  )
  try {
    for (const statement of sessionSettings(limits)) await connection.promise().query(statement)
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** The types of mysql2 leave it out. To end the connection in good order would wait for the server. */
function socketOf(connection: PoolConnection): Duplex {
  return (connection as PoolConnection & { readonly stream: Duplex }).stream
}
