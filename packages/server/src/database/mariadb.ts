import {
  type DialectAdapter,
  type Dialect as KyselyDialect,
  MysqlAdapter,
  MysqlDialect,
  type MysqlPool,
  type MysqlPoolConnection,
} from 'kysely'
import type { Pool, PoolConnection } from 'mysql2'
import { loadPackage } from '../core/load-package.ts'
import { withTimeout } from '../core/with-timeout.ts'
import { type Limits, limitStatement } from './limits.ts'

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
    `SESSION innodb_lock_wait_timeout = ${Math.ceil(limits.lockTimeout)}`,
    `SESSION max_statement_time = ${limits.statementTimeout}`,
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
    connectTimeout: limits.connectTimeout * 1000,
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
    getConnection: (give) =>
      void connect().then(
        (connection) => give(null, limitConnection(connection, limits.statementTimeout)),
        give as (error: unknown) => void,
      ),
    end: (done) =>
      // A connection that was lost before is closed.
      pool.end((error) => done(error?.code === 'PROTOCOL_CONNECTION_LOST' ? null : error)),
  }
}

function takeConnection(pool: Pool, { connectTimeout }: Limits): Promise<PoolConnection> {
  const taking = new Promise<PoolConnection>((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)))
  })
  return withTimeout(connectTimeout, taking, () => {
    taking.then((connection) => connection.release()).catch(() => {})
    const error = new Error('timeout exceeded when trying to connect')
    throw Object.assign(error, { code: 'ETIMEDOUT' })
  })
}

async function prepare(connection: PoolConnection, limits: Limits): Promise<void> {
  try {
    for (const statement of sessionSettings(limits))
      await limitStatement(connection.promise().query(statement), limits.statementTimeout)
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Returns a connection whose statements have a time limit. One that is too late ends it. */
function limitConnection(connection: PoolConnection, limit: number): MysqlPoolConnection {
  const query = (
    sql: string,
    parameters: unknown[],
    done: (error: unknown, result?: unknown) => void,
  ): void => {
    const answer = connection.promise().query(sql, parameters)
    limitStatement(answer, limit, () => connection.destroy()).then(([result]) => {
      done(null, result)
    }, done)
  }
  return { query, release: () => connection.release() } as unknown as MysqlPoolConnection
}
