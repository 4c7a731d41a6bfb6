import { AsyncLocalStorage } from 'node:async_hooks'
import { type DialectAdapter, type Kysely, type Dialect as KyselyDialect, sql } from 'kysely'
import { serverError } from '../core/errors.ts'
import { hasKind } from './errors.ts'
import type { ClusterSync } from './galera.ts'
import { retryTransient } from './retry.ts'
import { createSqlExecutor } from './sql-executor.ts'
import type { Dialect, SqlExecutor } from './types.ts'

/** Detects whether the running code is inside a transaction of a certain database. */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<{ active: boolean }>()

  // Code that the body started may still run after the body ends. This code is outside the scope.
  async run<Result>(body: () => Promise<Result>): Promise<Result> {
    const state = { active: true }
    try {
      return await this.#storage.run(state, body)
    } finally {
      state.active = false
    }
  }

  /**
   * Rejects statements that would bypass the running transaction. If the database has only one
   * connection, such a statement would wait forever. With a pool, the statement would silently run
   * outside the transaction.
   *
   * @throws QuillgateError `transaction_misuse` inside a transaction
   */
  assertOutside(): void {
    if (!this.#storage.getStore()?.active) return
    throw serverError(
      'transaction_misuse',
      'The database was used inside its own transaction. The transaction would wait for itself. Use the `trx` that your function receives.',
    )
  }
}

// The key is the adapter, because all Kysely instances of one database share it.
const scopes = new WeakMap<DialectAdapter, TransactionScope>()

/**
 * Returns the scope of {@link guardDialect}, or a new scope if the application created the Kysely
 * instance.
 */
export function scopeOf<Tables>(kysely: Kysely<Tables>): TransactionScope {
  return scopes.get(kysely.getExecutor().adapter) ?? new TransactionScope()
}

/** Adds a scope to a dialect. Inside a transaction, code cannot acquire another connection. */
export function guardDialect(dialect: KyselyDialect): KyselyDialect {
  const scope = new TransactionScope()
  return {
    createDriver() {
      const driver = dialect.createDriver()
      const acquireConnection = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async (options) => {
        scope.assertOutside()
        return acquireConnection(options)
      }
      return driver
    },
    createAdapter() {
      const adapter = dialect.createAdapter()
      scopes.set(adapter, scope)
      return adapter
    },
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  }
}

const failures = new WeakMap<object, unknown>()

/**
 * Returns the executor of a transaction. After a deadlock, a lock timeout or a lost connection, the
 * executor rejects further statements. MariaDB may have rolled the transaction back, so further
 * statements could run outside of any transaction.
 */
export function transactionExecutor<Tables>(trx: Kysely<Tables>, dialect: Dialect): SqlExecutor {
  const { query, execute } = createSqlExecutor(trx, { dialect })
  const run = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
    assertUsable(trx)
    try {
      return await statement()
    } catch (error) {
      if (hasKind(error, 'race', 'lock', 'lost')) failures.set(trx, error)
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

interface TransactionHost<Tables> {
  readonly dialect: Dialect
  readonly kysely: Kysely<Tables>
  readonly scope: TransactionScope
  /** The time in milliseconds after which a failed transaction is not repeated. */
  readonly patience: number
  /** If false, BEGIN must be replaced: see {@link beginImmediate}. */
  readonly beginsImmediate: boolean
  readonly clusterSync: ClusterSync | null
}

/**
 * Runs `work` in one transaction. Runs it again after a deadlock, a serialization failure or a busy
 * database. If the commit may have happened, does not run it again.
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
        // On SQLite, the wait for the only connection counts too: it is a wait for other users.
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
    // If the rollback also failed, throws the first error, because it is more precise.
    if (failure) throw failure.reason
    throw isCommitting && hasKind(error, 'lost') ? commitUnknown(error) : error
  }
}

function commitUnknown(cause: unknown): unknown {
  return serverError(
    'commit_unknown',
    'The connection to the database broke during the commit. Check whether the change was made before you repeat it.',
    { cause },
  )
}

// If the Kysely instance belongs to the application, SQLite transactions begin deferred. Replaces
// the transaction with an immediate one. This is safe, because no statement has run yet.
async function beginImmediate<Tables>(trx: Kysely<Tables>): Promise<void> {
  await sql`COMMIT`.execute(trx)
  await sql`BEGIN IMMEDIATE`.execute(trx)
}
