import { AsyncLocalStorage } from 'node:async_hooks'
import { type DialectAdapter, type Kysely, type Dialect as KyselyDialect, sql } from 'kysely'
import { serverError } from '../core/errors.ts'
import { isConnectionLost, isTransient } from './errors.ts'
import type { ClusterSync } from './galera.ts'
import { retryTransient } from './retry.ts'
import { createSqlExecutor } from './sql-executor.ts'
import type { Dialect, SqlExecutor } from './types.ts'

/** Tracks whether the running code is inside a transaction of one database. */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<{ active: boolean }>()

  /**
   * Runs the body of a transaction. After the body has ended, work that it started in the
   * background counts as outside.
   */
  async run<Result>(body: () => Promise<Result>): Promise<Result> {
    const state = { active: true }
    try {
      return await this.#storage.run(state, body)
    } finally {
      state.active = false
    }
  }

  /**
   * Throws if the running code is inside a transaction of this database. Otherwise, a statement
   * would wait forever on a single connection, and would run outside the transaction on a pool.
   *
   * @throws QuillgateError `transaction_misuse` inside a transaction
   */
  assertOutside(): void {
    if (!this.#storage.getStore()?.active) return
    throw serverError(
      'transaction_misuse',
      'The database was used inside its own transaction, which would wait for itself. Use the `trx` that the transaction gave you.',
    )
  }
}

/** The transactions that can only be rolled back, with the error that is the reason. */
const failures = new WeakMap<object, unknown>()

/**
 * Returns the executor of a transaction. After a deadlock or a lost connection, it rejects all
 * further statements. Otherwise a caller that ignores the error would continue outside of any
 * transaction, because MariaDB has already rolled it back.
 */
export function transactionExecutor<Tables>(trx: Kysely<Tables>, dialect: Dialect): SqlExecutor {
  const { query, execute } = createSqlExecutor(trx, { dialect })
  const run = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
    assertUsable(trx)
    try {
      return await statement()
    } catch (error) {
      if (isTransient(error) || isConnectionLost(error)) failures.set(trx, error)
      throw error
    }
  }
  return {
    dialect,
    query: (statement, params) => run(() => query(statement, params)),
    execute: (statement, params) => run(() => execute(statement, params)),
  }
}

function assertUsable(trx: object): void {
  if (failures.has(trx)) throw failures.get(trx)
}

/** The database of {@link runTransaction}. */
export interface TransactionHost<Tables> {
  readonly dialect: Dialect
  readonly kysely: Kysely<Tables>
  readonly scope: TransactionScope
  /** A failed transaction that has run for this many milliseconds is not retried. */
  readonly patience: number
  /** False if BEGIN of this Kysely instance must be replaced: see {@link beginImmediate}. */
  readonly beginsImmediate: boolean
  /**
   * Waits before each transaction if the server is a Galera cluster. Null if the database is not
   * MariaDB.
   */
  readonly clusterSync: ClusterSync | null
}

/**
 * Runs `work` in one transaction, and again after a deadlock, a serialization failure or a busy
 * database. A transaction whose commit may have happened is never run again.
 *
 * @throws QuillgateError `transaction_misuse`, `database_busy`, `database_unavailable`,
 * `commit_unknown`; otherwise the error of `work` or of the driver
 */
export async function runTransaction<Tables, Result>(
  host: TransactionHost<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  host.scope.assertOutside()
  let ran = 0 // Milliseconds.
  const attempt = async (): Promise<Result> => {
    let began = performance.now()
    try {
      return await host.kysely.connection().execute(async (connection) => {
        // The wait for a connection does not count, except on SQLite, where it is the wait for
        // other transactions.
        if (host.dialect !== 'sqlite') began = performance.now()
        await host.clusterSync?.beforeTransaction(connection)
        return await attemptOnce(host, connection, work)
      })
    } finally {
      ran += performance.now() - began
    }
  }
  return retryTransient(attempt, () => ran >= host.patience)
}

async function attemptOnce<Tables, Result>(
  { dialect, beginsImmediate, scope }: TransactionHost<Tables>,
  connection: Kysely<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const builder = connection.transaction()
  const transaction = dialect === 'sqlite' ? builder : builder.setIsolationLevel('read committed')
  let failure: { readonly reason: unknown } | undefined
  let isCommitting = false
  try {
    return await transaction.execute(async (trx) => {
      try {
        if (!beginsImmediate) await beginImmediate(trx)
        const result = await scope.run(() => work(trx))
        assertUsable(trx)
        isCommitting = true
        return result
      } catch (reason) {
        failure = { reason }
        throw reason
      }
    })
  } catch (error) {
    // If the rollback fails too, because the connection is gone, the first error is more useful.
    if (failure) throw failure.reason
    throw isCommitting && isConnectionLost(error) ? commitUnknown(error) : error
  }
}

function commitUnknown(cause: unknown): unknown {
  return serverError(
    'commit_unknown',
    'The connection to the database broke during the commit. Check whether the change was made before you repeat it.',
    { cause },
  )
}

/**
 * Replaces a deferred transaction by an immediate one. The application's own Kysely instance begins
 * deferred transactions on SQLite. Nothing has been read yet, so the deferred transaction can be
 * ended. Kysely then commits or rolls back the immediate one. If BEGIN IMMEDIATE fails, Kysely's
 * rollback fails too.
 */
async function beginImmediate<Tables>(trx: Kysely<Tables>): Promise<void> {
  await sql`COMMIT`.execute(trx)
  await sql`BEGIN IMMEDIATE`.execute(trx)
}
