import type { Duplex } from 'node:stream'
import { type Dialect as KyselyDialect, PostgresDialect, type PostgresPool } from 'kysely'
import type { ClientBase } from 'pg'
import { loadPackage } from '../core/load-package.ts'
import type { PoolOptions } from './pool-options.ts'
import { limitStatement } from './statement-limit.ts'
import { fromBigInt } from './values.ts'

/** PostgreSQL's object id of `bigint` (int8); pg gives it as text. */
const BIGINT = 20

/** Kysely on `pg`. Connects with the first statement. */
export function postgresDialect(url: string, options: PoolOptions): KyselyDialect {
  return new PostgresDialect({ pool: () => createPool(url, options) })
}

async function createPool(url: string, options: PoolOptions): Promise<PostgresPool> {
  const { default: pg } = await loadPackage('pg', 'PostgreSQL', () => import('pg'))
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    // Not through Kysely, which would lose a connection for which this fails.
    verify: (client, done) => {
      client.query(sessionSettings(options)).then(() => done(), done)
    },
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === BIGINT
          ? fromBigInt
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // A server that goes away breaks connections that wait too, in the pool or between two statements
  // of a transaction; without a listener that would end the process. The next statement tells.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    limitStatements(client, options.statementTimeout)
  })
  return pool
}

function sessionSettings({ lockTimeout, statementTimeout }: PoolOptions): string {
  return `SET lock_timeout = ${Math.ceil(lockTimeout)}; SET statement_timeout = ${Math.ceil(statementTimeout)}`
}

/** Each statement has its time; a cursor answers for itself. */
function limitStatements(client: ClientBase, limit: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const limited = (...args: unknown[]): unknown => {
    const result = query(...args)
    if (!(result instanceof Promise)) return result
    const done = limitStatement(limit, (error) => streamOf(client).destroy(error))
    return result.finally(done)
  }
  client.query = limited as typeof client.query
}

/**
 * The socket; the types of pg leave it out. To end the connection in good order would wait for the
 * server.
 */
function streamOf(client: ClientBase): Duplex {
  return (client as ClientBase & { readonly connection: { readonly stream: Duplex } }).connection
    .stream
}
