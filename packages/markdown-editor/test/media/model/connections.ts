import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialect, Row, SqlExecutor } from '@quillgate/server/database'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Pauses } from './pauses.ts'

/** The isolation level of an application's transaction: the default of the driver or another. */
export type Isolation = 'default' | 'other'

/** One connection of the application over the plain driver, without code of Quillgate. */
export interface Connection {
  readonly tx: SqlExecutor
  begin(isolation: Isolation): Promise<void>
  /** Runs a statement without parameters, such as COMMIT. */
  run(sql: string): Promise<void>
  /** Rolls back an open transaction, and returns the connection to the pool. */
  release(): Promise<void>
}

export interface Connections {
  readonly dialect: Dialect
  connect(): Promise<Connection>
  close(): Promise<void>
}

export async function withConnection<Result>(
  connections: Connections,
  work: (tx: SqlExecutor) => Promise<Result>,
): Promise<Result> {
  const connection = await connections.connect()
  try {
    return await work(connection.tx)
  } finally {
    await connection.release()
  }
}

/** Small, because many tests share a server. Code with a connection must not wait for another. */
const POOL_SIZE = 4

/** @param isFoundRows whether an UPDATE on MariaDB counts matching instead of changed rows */
export function openConnections(
  dialect: Dialect,
  url: string,
  pauses: Pauses,
  isFoundRows: boolean,
): Connections {
  if (dialect === 'postgres') return openPostgres(url, pauses)
  return dialect === 'mariadb' ? openMariadb(url, pauses, isFoundRows) : openSqlite(url, pauses)
}

function openPostgres(url: string, pauses: Pauses): Connections {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE })
  // PostgreSQL detects deadlocks of the application's records after 20 ms instead of a second.
  pool.on('connect', (client) => void client.query("SET deadlock_timeout = '20ms'").catch(() => {}))
  return {
    dialect: 'postgres',
    async connect() {
      const client = await pool.connect()
      const ask = async (sql: string, params: readonly unknown[] = []): Promise<pg.QueryResult> => {
        await pauses.pause()
        return client.query(sql, [...params])
      }
      return {
        tx: {
          dialect: 'postgres',
          query: async (sql, params) => (await ask(sql, params)).rows as Row[],
          execute: async (sql, params) => ({ affected: (await ask(sql, params)).rowCount ?? 0 }),
        },
        begin: async (isolation) => {
          await ask(isolation === 'default' ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ')
        },
        run: async (sql) => void (await ask(sql)),
        release: async () => {
          await client.query('ROLLBACK')
          client.release()
        },
      }
    },
    close: () => pool.end(),
  }
}

function openMariadb(url: string, pauses: Pauses, isFoundRows: boolean): Connections {
  const flags = isFoundRows ? [] : ['-FOUND_ROWS']
  const pool = mysql.createPool({ uri: url, connectionLimit: POOL_SIZE, charset: 'utf8mb4', flags })
  return {
    dialect: 'mariadb',
    async connect() {
      const connection = await pool.getConnection()
      const ask = async (sql: string, params: readonly unknown[] = []): Promise<unknown> => {
        await pauses.pause()
        const [result] = await connection.query(sql, [...params])
        return result
      }
      return {
        tx: {
          dialect: 'mariadb',
          query: async (sql, params) => (await ask(sql, params)) as Row[],
          execute: async (sql, params) => ({
            affected: ((await ask(sql, params)) as mysql.ResultSetHeader).affectedRows,
          }),
        },
        async begin(isolation) {
          // The default of the server is REPEATABLE READ.
          if (isolation === 'other') await ask('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
          await ask('START TRANSACTION')
        },
        run: async (sql) => void (await ask(sql)),
        release: async () => {
          await connection.query('ROLLBACK')
          connection.release()
        },
      }
    },
    close: () => pool.end(),
  }
}

const SQLITE_PATIENCE_MS = 10_000

function openSqlite(url: string, pauses: Pauses): Connections {
  const path = url.slice('sqlite:'.length)
  const open = new Set<DatabaseSync>()
  return {
    dialect: 'sqlite',
    async connect() {
      const database = new DatabaseSync(path, { timeout: 0 })
      open.add(database)
      const ask = async <Result>(work: () => Result): Promise<Result> => {
        await pauses.pause()
        return whenFree(database, work)
      }
      const bind = (params: readonly unknown[] = []): SQLInputValue[] =>
        params.map((value) =>
          Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue),
        )
      return {
        tx: {
          dialect: 'sqlite',
          query: (sql, params) => ask(() => database.prepare(sql).all(...bind(params)) as Row[]),
          execute: (sql, params) =>
            ask(() => ({ affected: Number(database.prepare(sql).run(...bind(params)).changes) })),
        },
        // A deferred transaction cannot write if another one has written since its first read.
        begin: (isolation) =>
          ask(() => database.exec(isolation === 'default' ? 'BEGIN IMMEDIATE' : 'BEGIN')),
        run: (sql) => ask(() => database.exec(sql)),
        async release() {
          open.delete(database)
          database.close()
        },
      }
    },
    async close() {
      for (const database of open) database.close()
    },
  }
}

/** Retries if SQLite is busy, except in a transaction. SQLite's own timeout blocks the process. */
async function whenFree<Result>(database: DatabaseSync, work: () => Result): Promise<Result> {
  const deadline = performance.now() + SQLITE_PATIENCE_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
      if (!isBusy || database.isTransaction || performance.now() > deadline) throw error
      await sleep(1 + Math.random() * 4)
    }
  }
}
