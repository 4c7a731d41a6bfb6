import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { commitUnknown, isConnectionLost, isTransient, toDatabaseError } from './errors.ts'
import type { TransactionScope } from './transaction-scope.ts'
import type { Dialect, TransactionOptions } from './types.ts'

const DEFAULT_RETRIES = 5
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500

/** What {@link runTransaction} needs to know of its database. */
export interface TransactionHost<Tables> {
  readonly dialect: Dialect
  readonly kysely: Kysely<Tables>
  readonly scope: TransactionScope
  /** After this many milliseconds a failed transaction is not run again. */
  readonly patience: number
  /** True when BEGIN of this Kysely instance is already what we need: see {@link beginImmediate}. */
  readonly beginsImmediate: boolean
}

/**
 * Runs `work` in one transaction, and again after a deadlock, a serialization failure or a busy database. A
 * transaction whose commit may have happened is never run again.
 *
 * @throws QuillgateError `transaction_misuse`, `database_busy`, `database_unavailable`, `commit_unknown`; else what
 * `work` or the driver threw
 */
export async function runTransaction<Tables, Result>(
  host: TransactionHost<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  host.scope.assertOutside()
  const { retries = DEFAULT_RETRIES } = options
  const deadline = performance.now() + host.patience
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(host, work)
    } catch (error) {
      if (!isTransient(error) || attempt >= retries || performance.now() >= deadline) throw toDatabaseError(error)
      // Random, so that two transactions that met do not meet again.
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * Math.random())
    }
  }
}

async function attemptOnce<Tables, Result>(
  host: TransactionHost<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { dialect, kysely, scope } = host
  const builder = kysely.transaction()
  const transaction = dialect === 'sqlite' ? builder : builder.setIsolationLevel('read committed')
  let state: 'working' | 'committing' | { readonly failure: unknown } = 'working'
  try {
    return await transaction.execute(async (trx) => {
      try {
        if (!host.beginsImmediate) await beginImmediate(trx)
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
function afterFailure(state: 'working' | 'committing' | { readonly failure: unknown }, error: unknown): unknown {
  if (typeof state === 'object') return state.failure
  return state === 'committing' && isConnectionLost(error) ? commitUnknown(error) : error
}

/**
 * The application's own Kysely on SQLite begins deferred. Nothing has been read yet, so the transaction is exchanged
 * for an immediate one; Kysely, which ends it, needs not know. (If this fails, so does Kysely's rollback; see
 * {@link afterFailure}.)
 */
async function beginImmediate<Tables>(trx: Kysely<Tables>): Promise<void> {
  await sql`COMMIT`.execute(trx)
  await sql`BEGIN IMMEDIATE`.execute(trx)
}
