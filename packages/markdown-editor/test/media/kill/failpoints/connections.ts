import { connect, Socket } from 'node:net'
import type { Dialect } from '@quillgate/server/database'
import BetterSqlite from 'better-sqlite3'
import { type Dialect as KyselyDialect, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { pathOf } from '../../../orm/better-sqlite.ts'

export interface Connections {
  readonly dialect: KyselyDialect
  /** Breaks all connections like a dying process. The database rolls back open transactions. */
  cut(): void
}

export function openConnections(engine: Dialect, url: string): Connections {
  if (engine === 'sqlite') return openSqlite(url)
  const sockets = new Set<Socket>()
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  return { dialect: engine === 'postgres' ? postgresOver(url, keep) : mariadbOver(url, keep), cut }
}

function openSqlite(url: string): Connections {
  const database = new BetterSqlite(pathOf(url))
  // Closing rolls back an open transaction. SQLite itself guarantees recovery after a real kill.
  database.pragma('journal_mode = MEMORY')
  database.pragma('synchronous = OFF')
  return { dialect: new SqliteDialect({ database }), cut: () => database.close() }
}

const POOL = 5

function postgresOver(url: string, keep: (socket: Socket) => Socket): KyselyDialect {
  const pool = new Pool({ connectionString: url, max: POOL, stream: () => keep(new Socket()) })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}

function mariadbOver(url: string, keep: (socket: Socket) => Socket): KyselyDialect {
  const { hostname, port } = new URL(url)
  const stream = (): Socket => keep(connect(Number(port || 3306), hostname))
  const pool = createPool({ uri: url, connectionLimit: POOL, stream })
  pool.on('connection', (connection) => connection.on('error', () => {}))
  return new MysqlDialect({ pool })
}
