import { setTimeout as sleep } from 'node:timers/promises'
import { hasKind, isTransient, toDatabaseError } from './errors.ts'
import type { SqlExecutor } from './types.ts'

// If the nodes of a Galera cluster change the same row, all nodes except one must retry each time.
const RETRIES_OF_RACES = 20
const RETRIES_OF_WAITS = 5
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500

/**
 * Runs `work`, and repeats it a limited number of times if it fails only because of other
 * transactions. Does not repeat it when `isOver()` is true.
 */
export async function retryTransient<Result>(
  work: () => Promise<Result>,
  isOver: () => boolean,
): Promise<Result> {
  for (let retry = 0; ; retry++) {
    try {
      return await work()
    } catch (error) {
      const limit = hasKind(error, 'race') ? RETRIES_OF_RACES : RETRIES_OF_WAITS
      if (!isTransient(error) || retry >= limit || isOver()) throw toDatabaseError(error)
      // The pause is random. Otherwise, two transactions could conflict again.
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** retry, LONGEST_PAUSE_MS) * Math.random())
    }
  }
}

/** Retries statements outside of transactions. @param patience milliseconds for all retries */
export function retryStatements(executor: SqlExecutor, patience: number): SqlExecutor {
  const run = <Result>(statement: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + patience
    return retryTransient(statement, () => performance.now() >= deadline)
  }
  return {
    dialect: executor.dialect,
    query: (sql, params) => run(() => executor.query(sql, params)),
    execute: (sql, params) => run(() => executor.execute(sql, params)),
  }
}
