import { AsyncLocalStorage } from 'node:async_hooks'
import { positiveSeconds, whole } from '../core/checks.ts'
import { field, type Input, type Values } from '../core/schema.ts'
import { withTimeout } from '../core/with-timeout.ts'

/** The options of `openDatabase`. */
export const DATABASE_OPTIONS = {
  /** The maximum number of connections, for PostgreSQL and MariaDB. */
  poolSize: field(whole(1), 10),
  /** The time in seconds for which a statement waits for a lock of another transaction. */
  lockTimeout: field(positiveSeconds(), 10),
  /** The time in seconds to wait for a connection to PostgreSQL or MariaDB. */
  connectTimeout: field(positiveSeconds(), 10),
  /** The time limit in seconds of a statement on PostgreSQL or MariaDB, except in migrations. */
  statementTimeout: field(positiveSeconds(), 30),
}

/** Options of {@link openDatabase}. */
export type DatabaseOptions = Input<typeof DATABASE_OPTIONS>

/** Checked options of a database. */
export type Limits = Values<typeof DATABASE_OPTIONS>

const unlimited = new AsyncLocalStorage<true>()

/** Runs work without a time limit for its statements, for example migrations. */
export function withoutStatementLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  return unlimited.run(true, work)
}

const HEAD_START = 2

/**
 * Rejects if the server does not answer a statement in time, for example if the answer was lost.
 *
 * @param limit the server's limit in seconds. The client waits 2 seconds longer, because the
 * server's own error is more precise.
 * @param breakConnection closes the connection after a timeout. Otherwise, the next statement could
 * receive the late answer.
 */
export function limitStatement<Result>(
  answer: Promise<Result>,
  limit: number,
  breakConnection: () => void = () => {},
): Promise<Result> {
  if (unlimited.getStore()) return answer
  return withTimeout(limit + HEAD_START, answer, () => {
    breakConnection()
    const message = 'The database server did not answer in time.'
    throw Object.assign(new Error(message), { code: 'ETIMEDOUT' })
  })
}

/** Tracks which connections of a pool are in use, because drivers close a pool without waiting. */
export class PoolUsers {
  readonly #users = new Set<Promise<void>>()

  /** Adds a user of a connection. Returns a function to call after releasing the connection. */
  enter(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#users.add(promise)
    return () => {
      this.#users.delete(promise)
      resolve()
    }
  }

  /** Waits until the connections that are in use at the time of the call are released. */
  async empty(): Promise<void> {
    await Promise.all(this.#users)
  }
}
