import { type Kysely, sql } from 'kysely'
import { commitUnknown, isConnectionLost } from './errors.ts'
import type { ClusterSync } from './galera.ts'
import { retryTransient } from './retry.ts'
import type { TransactionScope } from './transaction-scope.ts'
import type { Dialect, TransactionOptions } from './types.ts'

/** The database of {@link runTransaction}. */
export interface TransactionHost<Tables> {
  readonly dialect: Dialect
  readonly kysely: Kysely<Tables>
  readonly scope: TransactionScope
  /** After running for this many milliseconds a failed transaction is not run again. */
  readonly patience: number
  /**
   * True when BEGIN of this Kysely instance is already what we need: see {@link beginImmediate}.
   */
  readonly beginsImmediate: boolean
  /** Called before each transaction on MariaDB, which may be a node of a Galera cluster. */
  readonly clusterSync: ClusterSync | null
}

/**
 * Runs `work` in one transaction, and again after a deadlock, a serialization failure or a busy
 * database. A transaction whose commit may have happened is never run again.
 *
 * @throws QuillgateError `transaction_misuse`, `database_busy`, `database_unavailable`,
 * `commit_unknown`; else what `work` or the driver threw
 */
export async function runTransaction<Tables, Result>(
  host: TransactionHost<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  host.scope.assertOutside()
  let ran = 0 // Milliseconds.
  const attempt = async (): Promise<Result> => {
    let began = performance.now()
    try {
      return await host.kysely.connection().execute(async (connection) => {
        // Waiting for a connection does not count, but on SQLite that is waiting for the database
        // itself.
        if (host.dialect !== 'sqlite') began = performance.now()
        await host.clusterSync?.beforeTransaction(connection)
        return await attemptOnce(host, connection, work)
      })
    } finally {
      ran += performance.now() - began
    }
  }
  return retryTransient(attempt, () => ran >= host.patience, options.retries)
}

async function attemptOnce<Tables, Result>(
  { dialect, beginsImmediate, scope }: TransactionHost<Tables>,
  connection: Kysely<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const builder = connection.transaction()
  const transaction = dialect === 'sqlite' ? builder : builder.setIsolationLevel('read committed')
  let state: 'working' | 'committing' | { readonly failure: unknown } = 'working'
  try {
    return await transaction.execute(async (trx) => {
      try {
        if (!beginsImmediate) await beginImmediate(trx)
        const result = await scope.run(() => work(trx))
        state = 'committing'
        return result
      } catch (failure) {
        state = { failure }
        throw failure
      }
    })
  } catch (error) {
    throw afterFailure(state, error)
  }
}

/** When the rollback fails too (the connection is gone), the first failure says more. */
function afterFailure(
  state: 'working' | 'committing' | { readonly failure: unknown },
  error: unknown,
): unknown {
  if (typeof state === 'object') return state.failure
  return state === 'committing' && isConnectionLost(error) ? commitUnknown(error) : error
}

/**
 * The application's own Kysely on SQLite begins deferred. Nothing has been read yet, so the
 * transaction is exchanged for an immediate one; Kysely, which ends it, needs not know. (If this
 * fails, so does Kysely's rollback; see {@link afterFailure}.)
 */
async function beginImmediate<Tables>(trx: Kysely<Tables>): Promise<void> {
  await sql`COMMIT`.execute(trx)
  await sql`BEGIN IMMEDIATE`.execute(trx)
}
