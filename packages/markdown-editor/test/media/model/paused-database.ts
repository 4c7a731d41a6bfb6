import type { Dialect, openDatabase } from '@quillgate/server/database'
import {
  type DatabaseConnection,
  Kysely,
  type Dialect as KyselyDialect,
  MysqlDialect,
  PostgresDialect,
} from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import type { Pauses } from './pauses.ts'

/** The database of one node's ledger. Except on SQLite, it pauses before each statement. */
export interface PausedDatabase {
  readonly source: Parameters<typeof openDatabase>[0]
  close(): Promise<void>
}

const POOL_SIZE = 3

/** On SQLite, does not pause, because nothing can interrupt a transaction. */
export function openPausedDatabase(dialect: Dialect, url: string, pauses: Pauses): PausedDatabase {
  if (dialect === 'sqlite') return { source: url, close: async () => {} }
  const inner =
    dialect === 'postgres'
      ? new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: POOL_SIZE }) })
      : new MysqlDialect({
          pool: mysql.createPool({ uri: url, connectionLimit: POOL_SIZE, charset: 'utf8mb4' }),
        })
  const kysely = new Kysely<unknown>({ dialect: paused(inner, pauses) })
  return { source: kysely, close: () => kysely.destroy() }
}

function paused(dialect: KyselyDialect, pauses: Pauses): KyselyDialect {
  const seen = new WeakSet<DatabaseConnection>()
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async (options) => {
        const connection = await acquire(options)
        if (seen.has(connection)) return connection
        seen.add(connection)
        const execute = connection.executeQuery.bind(connection)
        connection.executeQuery = async (...args) => {
          await pauses.pause()
          return execute(...args)
        }
        return connection
      }
      return driver
    },
  }
}
