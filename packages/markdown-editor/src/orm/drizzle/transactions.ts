import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dialect, isTransient } from '@quillgate/server/database'
import { type SQL, sql } from 'drizzle-orm'
import type {
  ReferenceTracking,
  TrackedTransaction,
} from '../../media/references/track-references.ts'
import { transactionMisuse } from '../errors.ts'
import { createTurns } from '../turns.ts'
import { createDrizzleExecutor, type DrizzleDatabase } from './executor.ts'

/** An open transaction. */
export interface DrizzleScope {
  readonly db: DrizzleDatabase
  readonly saves: TrackedTransaction
}

/** Runs transactions, whatever kind the driver has. */
export interface DrizzleTransactions {
  /** @throws QuillgateError `transaction_misuse` (500) within a transaction, of which this one would know nothing */
  run<Result>(work: (scope: DrizzleScope) => Promise<Result>): Promise<Result>
  /** A nested transaction: a savepoint. */
  nest<Result>(scope: DrizzleScope, work: (scope: DrizzleScope) => Promise<Result>): Promise<Result>
}

/** The transactions of drivers that can wait: all but those of SQLite libraries without promises. */
interface AsyncDatabase {
  transaction<Result>(work: (tx: DrizzleDatabase) => Promise<Result>): Promise<Result>
}

/** A SQLite library without promises, such as better-sqlite3, whose transactions cannot wait for anything. */
interface SyncDatabase {
  readonly resultKind: 'sync'
  run(statement: SQL): unknown
  get(statement: SQL): unknown
}

const NESTED = 'quillgate_nested'
/** How long a transaction of SQLite waits for another connection, in milliseconds. */
const PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 25
const OUTSIDE =
  'Inside transaction() write with what its function is given, or the write would not belong to it.'

/** Makes the transactions of a database. */
export function createDrizzleTransactions(
  db: DrizzleDatabase,
  dialect: Dialect,
  tracking: ReferenceTracking,
): DrizzleTransactions {
  const running = new AsyncLocalStorage<{ active: boolean }>()
  const inTurn = createTurns()

  const begin = (tx: DrizzleDatabase): DrizzleScope => ({
    db: tx,
    saves: tracking.begin(createDrizzleExecutor(tx, dialect)),
  })

  /** What the work leaves running in the background is outside once it has ended. */
  const follow = async <Result>(
    scope: DrizzleScope,
    work: (scope: DrizzleScope) => Promise<Result>,
  ) => {
    const state = { active: true }
    try {
      const result = await running.run(state, () => work(scope))
      scope.saves.assertComplete()
      return result
    } finally {
      state.active = false
    }
  }

  return {
    async run(work) {
      if (running.getStore()?.active) throw transactionMisuse(OUTSIDE)
      let scope = begin(db)
      try {
        const result = isSync(db)
          ? await inTurn(db, () => inSyncTransaction(db, () => follow(scope, work)))
          : await (db as unknown as AsyncDatabase).transaction((tx) => {
              scope = begin(tx)
              return follow(scope, work)
            })
        await scope.saves.committed()
        return result
      } catch (error) {
        await scope.saves.rolledBack()
        throw error
      }
    },

    async nest({ db: outer, saves }, work) {
      saves.savepoint(NESTED)
      try {
        return isSync(outer)
          ? await inSavepoint(outer, () => work({ db: outer, saves }))
          : await (outer as unknown as AsyncDatabase).transaction((tx) => work({ db: tx, saves }))
      } catch (error) {
        saves.rollbackToSavepoint(NESTED)
        throw error
      } finally {
        saves.releaseSavepoint(NESTED)
      }
    },
  }
}

function isSync(db: unknown): db is SyncDatabase {
  return (db as { readonly resultKind?: unknown }).resultKind === 'sync'
}

/** Drizzle would end such a transaction before the work has, so it is begun and ended by hand. */
async function inSyncTransaction<Result>(
  db: SyncDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  await beginImmediate(db)
  try {
    const result = await work()
    db.run(sql`commit`)
    return result
  } catch (error) {
    rollBack(db, sql`rollback`)
    throw error
  }
}

/**
 * SQLite's own waiting for a lock would block the event loop, and with it who holds the lock, if that is in this
 * process. A transaction that begins to write later could be refused the lock then.
 */
async function beginImmediate(db: SyncDatabase): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { timeout } = db.get(sql`pragma busy_timeout`) as { timeout: number }
    db.run(sql`pragma busy_timeout = 0`)
    try {
      db.run(sql`begin immediate`)
      return
    } catch (error) {
      if (!isTransient(error) || performance.now() >= deadline) throw error
    } finally {
      db.run(sql.raw(`pragma busy_timeout = ${Number(timeout)}`))
    }
    await sleep(LONGEST_PAUSE_MS * Math.random())
  }
}

async function inSavepoint<Result>(db: SyncDatabase, work: () => Promise<Result>): Promise<Result> {
  const name = sql.identifier(NESTED)
  db.run(sql`savepoint ${name}`)
  try {
    const result = await work()
    db.run(sql`release savepoint ${name}`)
    return result
  } catch (error) {
    rollBack(db, sql`rollback to savepoint ${name}`)
    rollBack(db, sql`release savepoint ${name}`)
    throw error
  }
}

/**
 * Some errors (disk full, ON CONFLICT ROLLBACK) have already rolled back; the first error says more than the second.
 */
function rollBack(db: SyncDatabase, statement: SQL): void {
  try {
    db.run(statement)
  } catch {}
}
