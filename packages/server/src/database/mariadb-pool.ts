import type { Duplex } from 'node:stream'
import type { MysqlPool } from 'kysely'
import type { Pool, PoolConnection } from 'mysql2'
import type { PoolOptions } from './pool-options.ts'
import { limitStatement } from './statement-limit.ts'

type GiveConnection = (error: NodeJS.ErrnoException | null, connection?: PoolConnection) => void

/** How {@link createMariadbPool} works. */
export interface MariadbPoolOptions extends PoolOptions {
  /** Statements that each new connection runs first. */
  readonly settings: readonly string[]
}

/**
 * The pool of mysql2 as Kysely wants it, with limits that mysql2 does not have: how long to wait
 * for a connection while all are in use, and how long a statement may take. Settings are made here,
 * for Kysely would lose a connection for which they fail.
 */
export function createMariadbPool(pool: Pool, options: MariadbPoolOptions): MysqlPool {
  const known = new WeakSet<PoolConnection>()
  const prepare = (connection: PoolConnection, give: GiveConnection): void => {
    if (known.has(connection)) {
      give(null, connection)
      return
    }
    limitStatements(connection, options.statementTimeout)
    runAll(connection, options.settings, (error) => {
      if (error) {
        connection.destroy()
        give(error)
      } else {
        known.add(connection)
        give(null, connection)
      }
    })
  }
  const getConnection = (give: GiveConnection): void => {
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      give(
        Object.assign(new Error('timeout exceeded when trying to connect'), { code: 'ETIMEDOUT' }),
      )
    }, options.connectTimeout)
    pool.getConnection((error, connection) => {
      clearTimeout(timer)
      if (isOver) {
        if (!error) connection.release()
      } else if (error) give(error)
      else prepare(connection, give)
    })
  }
  return {
    getConnection,
    end: (done: (error: unknown) => void) => pool.end(done),
  } as unknown as MysqlPool
}

function runAll(
  connection: PoolConnection,
  [statement, ...rest]: readonly string[],
  done: (error: NodeJS.ErrnoException | null) => void,
): void {
  if (statement === undefined) {
    done(null)
    return
  }
  connection.query(statement, (error: NodeJS.ErrnoException | null) => {
    if (error) done(error)
    else runAll(connection, rest, done)
  })
}

/** Each statement has its time; a stream answers for itself. */
function limitStatements(connection: PoolConnection, limit: number): void {
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown
  const limited = (...args: unknown[]): unknown => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') return query(...args)
    const done = limitStatement(limit, (error) => streamOf(connection).destroy(error))
    return query(...args.slice(0, -1), (...results: unknown[]) => {
      done()
      callback(...results)
    })
  }
  connection.query = limited as typeof connection.query
}

/**
 * The socket; the types of mysql2 leave it out. To end the connection in good order would wait for
 * the server.
 */
function streamOf(connection: PoolConnection): Duplex {
  return (connection as PoolConnection & { readonly stream: Duplex }).stream
}
