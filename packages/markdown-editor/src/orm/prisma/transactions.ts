import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialect } from '@quillgate/server/database'
import type { ReferenceTracking } from '../../media/references/track-references.ts'
import { createTurns } from '../turns.ts'
import type { OpenClient, TransactionOptions } from './client.ts'
import { createPrismaExecutor } from './executor.ts'
import type { PrismaScope } from './writes.ts'

/** Runs transactions of a client and tells how they end. */
export interface PrismaTransactions {
  run<Result>(
    client: OpenClient,
    work: (scope: PrismaScope) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** A nested transaction: a savepoint. */
  nest<Result>(
    scope: PrismaScope,
    work: (scope: PrismaScope) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** Does a write when those before it in the same transaction are done: it is several statements. */
  inTurn<Result>(scope: PrismaScope, step: () => Promise<Result>): Promise<Result>
}

const NESTED = 'nested'
/** How long a transaction of SQLite waits for another connection, in milliseconds. */
const PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 25

/** Makes them. @param table any table, for SQLite */
export function createPrismaTransactions(
  dialect: Dialect,
  table: string,
  tracking: ReferenceTracking,
): PrismaTransactions {
  const turns = createTurns()
  const inTurn: PrismaTransactions['inTurn'] = ({ saves }, step) => turns(saves, step)
  /** What was begun and not waited for must not outlive its transaction. */
  const idle = (scope: PrismaScope): Promise<void> => inTurn(scope, async () => {})

  return {
    inTurn,

    async run(client, work, options) {
      let scope: PrismaScope | undefined
      try {
        const result = await client.$transaction(async (tx) => {
          await scope?.saves.rolledBack() // An extension of the client tries again.
          if (dialect === 'sqlite') await lockForWriting(tx, table)
          scope = { tx, saves: tracking.begin(createPrismaExecutor(tx, dialect)) }
          const done = await work(scope)
          await idle(scope)
          scope.saves.assertComplete()
          return done
        }, options)
        await scope?.saves.committed()
        return result
      } catch (error) {
        await scope?.saves.rolledBack()
        throw error
      }
    },

    async nest(outer, work, options) {
      const { saves } = outer
      await idle(outer)
      saves.savepoint(NESTED)
      try {
        return await outer.tx.$transaction(async (tx) => {
          const done = await work({ tx, saves })
          await idle(outer)
          return done
        }, options)
      } catch (error) {
        await idle(outer)
        saves.rollbackToSavepoint(NESTED)
        throw error
      } finally {
        saves.releaseSavepoint(NESTED)
      }
    },
  }
}

/**
 * Prisma begins a transaction of SQLite without a lock. One that reads first would be refused the lock when another
 * connection, such as the editor's, has written in the meantime. SQLite's own waiting would block the event loop, and
 * with it who holds the lock, if that is in this process.
 */
async function lockForWriting(tx: OpenClient, table: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  const [{ timeout = 0 } = {}] = (await tx.$queryRawUnsafe('PRAGMA busy_timeout')) as {
    timeout?: number | bigint
  }[]
  await tx.$queryRawUnsafe('PRAGMA busy_timeout = 0')
  try {
    for (;;) {
      try {
        await tx.$executeRawUnsafe(`DELETE FROM "${table.replaceAll('"', '""')}" WHERE 0`)
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error
      }
      await sleep(LONGEST_PAUSE_MS * Math.random())
    }
  } finally {
    await tx.$queryRawUnsafe(`PRAGMA busy_timeout = ${Number(timeout)}`)
  }
}

/** Prisma's code for a database that did not answer in time, which it makes of SQLITE_BUSY. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'P1008'
}
