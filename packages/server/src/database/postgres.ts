import {
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  PGliteAdapter,
  type PGliteDialectConfig,
  PGliteDriver,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
} from 'kysely'
import type { PoolClient } from 'pg'
import { importError } from '../core/import-error.ts'
import { ConnectionQueue, withoutQueue } from './connections.ts'
import { type Limits, limitStatement, PoolUsers } from './database-options.ts'
import { connecting } from './errors.ts'
import { fromBigInt, toParameters } from './values.ts'

/** PostgreSQL's id of the type `bigint` (int8). By default, pg returns `bigint` values as text. */
const BIGINT = 20

/** Creates the Kysely dialect on `pg`. @param where URL without the password, for errors */
export function postgresDialect(url: string, where: string, limits: Limits): KyselyDialect {
  return new PostgresDialect({ pool: () => createPool(url, where, limits) })
}

/** Creates the Kysely dialect for PGlite in this process. @param path the folder, or `memory` */
export function pgliteDialect(path: string): KyselyDialect {
  const config: PGliteDialectConfig = {
    pglite: async () => {
      const { PGlite } = await loadPGlite()
      const parsers = { [BIGINT]: fromBigInt }
      const folder = path === 'memory' ? 'memory://' : path
      return connecting(`pglite:${path}`, () => PGlite.create(folder, { parsers }))
    },
  }
  return {
    createDriver: () => new QueuedPGliteDriver(config),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => withoutQueue(new PGliteAdapter()),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
  }
}

class QueuedPGliteDriver extends PGliteDriver {
  readonly #queue = new ConnectionQueue()

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#queue.acquire()
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#queue.release()
  }
}

async function loadPGlite(): Promise<typeof import('@electric-sql/pglite')> {
  try {
    return await import('@electric-sql/pglite')
  } catch (error) {
    throw importError(error, '@electric-sql/pglite', 'PGlite')
  }
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    throw importError(error, 'pg', 'PostgreSQL')
  }
}

async function createPool(url: string, where: string, limits: Limits): Promise<PostgresPool> {
  const { default: pg } = await loadPg()
  const pool = new pg.Pool({
    connectionString: url,
    max: limits.poolSize,
    connectionTimeoutMillis: limits.connectTimeout * 1000,
    // If Kysely applied the settings and they failed, Kysely would leak the connection.
    verify: (client, done) => {
      const answer = client.query(sessionSettings(limits))
      limitStatement(answer, limits.statementTimeout).then(() => done(), done)
    },
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === BIGINT
          ? fromBigInt
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // Without these listeners, the loss of a connection would end the process. The pool replaces an
  // idle connection. If the connection is in use, its next statement rejects.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const users = new PoolUsers()
  return {
    options: pool.options,
    async connect() {
      const leave = users.enter()
      try {
        const client = await connecting(where, () => pool.connect())
        return limitClient(client, limits.statementTimeout, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    async end() {
      await users.empty()
      await pool.end()
    },
  }
}

function sessionSettings({ lockTimeout, statementTimeout }: Limits): string {
  const ms = (seconds: number): number => Math.ceil(seconds * 1000)
  return `SET lock_timeout = ${ms(lockTimeout)}; SET statement_timeout = ${ms(statementTimeout)}`
}

// A statement that exceeds the limit closes the connection.
function limitClient(client: PoolClient, limit: number, leave: () => void): PostgresPoolClient {
  let isReleased = false
  const release = (destroy?: boolean): void => {
    if (!isReleased) client.release(destroy)
    isReleased = true
    leave()
  }
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> =>
    limitStatement(client.query(sql, toParameters('postgres', parameters)), limit, () =>
      release(true),
    )
  return { query: query as PostgresPoolClient['query'], release }
}
