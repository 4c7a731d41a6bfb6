import { AsyncLocalStorage } from 'node:async_hooks'
import { positiveSeconds, whole } from '../core/checks.ts'
import { field, type Input, parse } from '../core/schema.ts'

const DATABASE_OPTIONS = {
  /** Most connections at once, for PostgreSQL and MariaDB. */
  poolSize: field(whole(1), 10),
  /** Seconds that a statement waits for a lock of another transaction. */
  lockTimeout: field(positiveSeconds(), 10),
  /** Seconds to wait for a connection. */
  connectTimeout: field(positiveSeconds(), 10),
  /** Seconds that a statement may take; migrations have no limit. */
  statementTimeout: field(positiveSeconds(), 30),
}

/** Options of {@link openDatabase}. */
export type DatabaseOptions = Input<typeof DATABASE_OPTIONS>

/** Checked options of a database. Times are milliseconds. */
export interface Limits {
  readonly poolSize: number
  readonly lockTimeout: number
  readonly connectTimeout: number
  readonly statementTimeout: number
}

/** @throws ConfigurationError that names the option */
export function limitsOf(options: DatabaseOptions): Limits {
  const { poolSize, ...seconds } = parse(DATABASE_OPTIONS, options)
  return {
    poolSize,
    lockTimeout: seconds.lockTimeout * 1000,
    connectTimeout: seconds.connectTimeout * 1000,
    statementTimeout: seconds.statementTimeout * 1000,
  }
}

const unlimited = new AsyncLocalStorage<true>()

/** Runs work whose statements may take as long as they need, such as migrations. */
export function withoutStatementLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  return unlimited.run(true, work)
}

type Query = (...args: readonly unknown[]) => unknown

/** Milliseconds by which the server gives up earlier than the client: its own error says more. */
const HEAD_START = 2000

/**
 * Breaks the connection of pg or mysql2 when its server does not answer a statement, as when the
 * network lost it: nothing else would ever tell. The driver then fails the statement, and the pool
 * makes a new connection. Cursors and streams have no limit.
 *
 * @param limit milliseconds
 * @param destroy breaks the connection
 */
export function limitStatements(
  connection: { query: unknown },
  limit: number,
  destroy: (error: Error) => void,
): void {
  const query = (connection.query as Query).bind(connection)
  const start = (): (() => void) => {
    if (unlimited.getStore()) return () => {}
    const message = 'The database server did not answer in time.'
    const timer = setTimeout(
      () => destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' })),
      limit + HEAD_START,
    )
    return () => clearTimeout(timer)
  }
  const limited: Query = (...args) => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') {
      const result = query(...args)
      return result instanceof Promise ? result.finally(start()) : result
    }
    const done = start()
    return query(...args.slice(0, -1), (...results: readonly unknown[]) => {
      done()
      callback(...results)
    })
  }
  connection.query = limited
}
