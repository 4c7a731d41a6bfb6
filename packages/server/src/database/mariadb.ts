import {
  type DialectAdapter,
  type Dialect as KyselyDialect,
  MysqlAdapter,
  MysqlDialect,
  type MysqlPool,
} from 'kysely'
import { loadPackage } from '../core/load-package.ts'
import { createMariadbPool } from './mariadb-pool.ts'
import type { PoolOptions } from './pool-options.ts'

/** Kysely on `mysql2`, for MariaDB. Connects with the first statement. */
export function mariadbDialect(url: string, options: PoolOptions): KyselyDialect {
  return new MariadbDialect({ pool: () => createPool(url, options) })
}

/** Kysely's MySQL dialect with RETURNING. */
export class MariadbDialect extends MysqlDialect {
  override createAdapter(): DialectAdapter {
    return new MariadbAdapter()
  }
}

/**
 * MariaDB knows INSERT and DELETE … RETURNING; Kysely's MySQL adapter would throw the rows away.
 */
class MariadbAdapter extends MysqlAdapter {
  override get supportsReturning(): boolean {
    return true
  }
}

/**
 * Makes a session independent of the server's configuration. mysql2 escapes parameters on the
 * client, which is only right in a sql_mode without NO_BACKSLASH_ESCAPES, so that is fixed here
 * too.
 */
function sessionSettings(options: PoolOptions): string[] {
  const variables = [
    'NAMES utf8mb4 COLLATE utf8mb4_nopad_bin',
    "SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
    "SESSION time_zone = '+00:00'",
    `SESSION innodb_lock_wait_timeout = ${Math.ceil(options.lockTimeout / 1000)}`,
    `SESSION max_statement_time = ${options.statementTimeout / 1000}`,
  ]
  return [`SET ${variables.join(', ')}`, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED']
}

async function createPool(url: string, options: PoolOptions): Promise<MysqlPool> {
  const { createPool: create } = await loadPackage('mysql2', 'MariaDB', () => import('mysql2'))
  const pool = create({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    charset: 'utf8mb4',
    connectionLimit: options.poolSize,
    connectTimeout: options.connectTimeout,
    supportBigNumbers: true, // Integers beyond 2^53 arrive as text instead of rounded.
    dateStrings: true,
  })
  return createMariadbPool(pool, { ...options, settings: sessionSettings(options) })
}
