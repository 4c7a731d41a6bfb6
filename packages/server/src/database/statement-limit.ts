import { AsyncLocalStorage } from 'node:async_hooks'

const unlimited = new AsyncLocalStorage<true>()

/** Runs work whose statements may take as long as they need, such as migrations. */
export function withoutStatementLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  return unlimited.run(true, work)
}

/** The error for a connection whose server does not answer. */
class StatementTimeout extends Error {
  readonly code = 'ETIMEDOUT'
}

/** How much later than the server the client gives up: the server's own error says more. */
const HEAD_START = 2000 // Milliseconds.

/**
 * Breaks a connection whose server does not answer a statement, as when the network lost it:
 * nothing else would ever tell. The driver then fails the statement, and the pool makes a new
 * connection.
 *
 * @param limit milliseconds
 * @param destroy breaks the connection
 * @returns call it when the statement is through
 */
export function limitStatement(limit: number, destroy: (error: Error) => void): () => void {
  if (unlimited.getStore()) return () => {}
  const breakOff = (): void =>
    destroy(new StatementTimeout('The database server did not answer in time.'))
  const timer = setTimeout(breakOff, limit + HEAD_START)
  return () => clearTimeout(timer)
}
