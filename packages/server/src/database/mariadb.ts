import {
  type DialectAdapter,
  type Dialect as KyselyDialect,
  MysqlAdapter,
  MysqlDialect,
  type MysqlPool,
  type MysqlPoolConnection,
} from 'kysely'
import type { Pool, PoolConnection } from 'mysql2'
import { importError } from '../core/import-error.ts'
import { withTimeout } from '../core/with-timeout.ts'
import { type Limits, limitStatement, PoolUsers } from './database-options.ts'
import { connecting, isTransient } from './errors.ts'
import { toParameters } from './values.ts'

/** Creates the Kysely dialect on `mysql2`. @param where URL without the password, for errors */
export function mariadbDialect(url: string, where: string, limits: Limits): KyselyDialect {
  return new MariadbDialect({ pool: () => createPool(url, where, limits) })
}

/** Kysely's MySQL dialect with the clause RETURNING. */
export class MariadbDialect extends MysqlDialect {
  override createAdapter(): DialectAdapter {
    return new MariadbAdapter()
  }
}

/** Lets Kysely return rows from INSERT and DELETE … RETURNING. MySQL does not have RETURNING. */
export class MariadbAdapter extends MysqlAdapter {
  override get supportsReturning(): boolean {
    return true
  }
}

// Sets a `sql_mode` without NO_BACKSLASH_ESCAPES, because mysql2 escapes text with backslashes.
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

async function loadDriver(): Promise<typeof import('mysql2')> {
  try {
    return await import('mysql2')
  } catch (error) {
    throw importError(error, 'mysql2', 'MariaDB')
  }
}

// Adds time limits for the wait for a connection and for statements, because mysql2 has none.
// Applies the session settings here. If Kysely applied the settings and they failed, Kysely would
// leak the connection.
async function createPool(url: string, where: string, limits: Limits): Promise<MysqlPool> {
  const driver = await loadDriver()
  const pool = driver.createPool({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    charset: 'utf8mb4',
    connectionLimit: limits.poolSize,
    connectTimeout: limits.connectTimeout * 1000,
    supportBigNumbers: true, // Returns integers beyond 2^53 as text instead of rounding them.
    dateStrings: true,
  })
  const prepared = new WeakSet<PoolConnection>()
  const users = new PoolUsers()
  const connect = async (): Promise<PoolConnection> => {
    const connection = await takeConnection(pool, limits)
    if (!prepared.has(connection)) await prepare(connection, limits)
    prepared.add(connection)
    return connection
  }
  return {
    getConnection(give) {
      const leave = users.enter()
      connecting(where, connect).then(
        (connection) => give(null, limitConnection(connection, limits.statementTimeout, leave)),
        (error: unknown) => {
          leave()
          give(error, undefined as never) // After an error, the second argument is ignored.
        },
      )
    },
    end: (done) =>
      void users.empty().then(() =>
        // Ignores the error that a connection was already lost.
        pool.end((error) => done(error?.code === 'PROTOCOL_CONNECTION_LOST' ? null : error)),
      ),
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

/**
 * Returns a connection with a time limit for statements. A statement that exceeds the limit closes
 * the connection. After a deadlock or a lock timeout, the connection rejects further statements of
 * the transaction. MariaDB may have rolled the transaction back already. Further statements would
 * then run outside of any transaction.
 */
function limitConnection(
  connection: PoolConnection,
  limit: number,
  leave: () => void,
): MysqlPoolConnection {
  let isInTransaction = false
  let failure: unknown
  const run = async (sql: string, parameters: unknown[]): Promise<unknown> => {
    if (sql === 'rollback') failure = undefined
    if (failure !== undefined) throw failure
    // Kysely begins and ends each transaction with one of these statements.
    if (/^(?:begin|commit|rollback)$/i.test(sql)) isInTransaction = sql.toLowerCase() === 'begin'
    try {
      const answer = connection.promise().query(sql, toParameters('mariadb', parameters))
      return (await limitStatement(answer, limit, () => connection.destroy()))[0]
    } catch (error) {
      if (isInTransaction && isTransient(error)) failure = error
      throw error
    }
  }
  type Done = (error: unknown, result?: unknown) => void
  const query = (sql: string, parameters: unknown[], done: Done): void => {
    run(sql, parameters).then((result) => done(null, result), done)
  }
  const release = (): void => {
    connection.release()
    leave()
  }
  return { query, release } as unknown as MysqlPoolConnection
}
