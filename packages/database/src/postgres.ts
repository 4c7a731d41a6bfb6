import { loadPackage } from '@quillgate/http'
import { CompiledQuery, type Dialect as KyselyDialect, PostgresDialect, type PostgresPool } from 'kysely'
import type { PoolOptions } from './pool-options.ts'
import { fromBigInt } from './values.ts'

/** PostgreSQL's object id of `bigint` (int8); pg gives it as text. */
const BIGINT = 20

/** Kysely on `pg`. Connects with the first statement. */
export function postgresDialect(url: string, options: PoolOptions): KyselyDialect {
  return new PostgresDialect({
    pool: () => createPool(url, options),
    onCreateConnection: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw(`SET lock_timeout = ${Math.ceil(options.lockTimeout)}`))
    },
  })
}

async function createPool(url: string, options: PoolOptions): Promise<PostgresPool> {
  const { default: pg } = await loadPackage('pg', 'PostgreSQL', () => import('pg'))
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === BIGINT ? fromBigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // A server that goes away breaks connections that wait too, in the pool or between two statements of a transaction;
  // without a listener that would end the process. The next statement tells.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
