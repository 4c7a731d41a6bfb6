import type { Duplex } from 'node:stream'
import {
  type Dialect as KyselyDialect,
  PGliteDialect,
  PostgresDialect,
  type PostgresPool,
} from 'kysely'
import type { ClientBase } from 'pg'
import { loadPackage } from '../core/load-package.ts'
import { type Limits, limitStatements } from './limits.ts'
import { fromBigInt } from './values.ts'

/** PostgreSQL's object id of `bigint` (int8), which the drivers give as text. */
const BIGINT = 20

/** Kysely on `pg`. Connects with the first statement. */
export function postgresDialect(url: string, limits: Limits): KyselyDialect {
  return new PostgresDialect({ pool: () => createPool(url, limits) })
}

/** Kysely on PGlite, PostgreSQL in this process. @param path folder of the data, or `memory` */
export function pgliteDialect(path: string): KyselyDialect {
  return new PGliteDialect({
    pglite: async () => {
      const load = () => import('@electric-sql/pglite')
      const { PGlite } = await loadPackage('@electric-sql/pglite', 'PGlite', load)
      const parsers = { [BIGINT]: fromBigInt }
      return PGlite.create(path === 'memory' ? 'memory://' : path, { parsers })
    },
  })
}

async function createPool(url: string, limits: Limits): Promise<PostgresPool> {
  const { default: pg } = await loadPackage('pg', 'PostgreSQL', () => import('pg'))
  const pool = new pg.Pool({
    connectionString: url,
    max: limits.poolSize,
    connectionTimeoutMillis: limits.connectTimeout,
    // Not through Kysely, which would lose a connection for which this fails.
    verify: (client, done) => {
      client.query(sessionSettings(limits)).then(() => done(), done)
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
    limitStatements(client, limits.statementTimeout, (error) => socketOf(client).destroy(error))
  })
  return pool
}

function sessionSettings({ lockTimeout, statementTimeout }: Limits): string {
  return `SET lock_timeout = ${Math.ceil(lockTimeout)}; SET statement_timeout = ${Math.ceil(statementTimeout)}`
}

/** The types of pg leave it out. To end the connection in good order would wait for the server. */
function socketOf(client: ClientBase): Duplex {
  return (client as ClientBase & { readonly connection: { readonly stream: Duplex } }).connection
    .stream
}
