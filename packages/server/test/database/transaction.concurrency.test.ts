import { type Database, openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { runNode } from './fixtures/run-node.ts'

describe('Database.transaction', () => {
  describeDatabases((engine) => {
    let database: Database
    let url: string
    let close: () => Promise<void>
    const others: Database[] = []

    beforeEach(async () => {
      const fixture = await engine.open()
      ;({ database, url, close } = fixture)
      await createCounters(database, 'a', 'b')
    })
    afterEach(async () => {
      await Promise.all(others.splice(0).map((other) => other.close()))
      await close()
    })

    const openAgain = (options?: Parameters<typeof openDatabase>[1]): Database => {
      const other = openDatabase(url, options)
      others.push(other)
      return other
    }
    const set = (executor: SqlExecutor, id: string, n: number): Promise<{ affected: number }> =>
      executor.execute(`UPDATE counters SET n = ${n} WHERE id = '${id}'`)
    /** Locks the row `a` (SQLite: the whole database) until the test releases it. */
    const hold = async (): Promise<() => Promise<void>> => {
      const held = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const transaction = database.transaction(async (trx) => {
        await set(database.executor(trx), 'a', 1)
        held.resolve()
        await release.promise
      })
      await held.promise
      return async () => {
        release.resolve()
        await transaction
      }
    }

    it('keeps all updates of two processes', async () => {
      await Promise.all([
        runNode('./add-process.ts', url, '40'),
        runNode('./add-process.ts', url, '40'),
      ])
      expect(await readCounters(database)).toEqual({ a: 80, b: 0 })
    })

    it('waits for a lock without blocking the process', async () => {
      const release = await hold()
      const other = openAgain()
      const waiting = other.transaction((trx) => set(other.executor(trx), 'a', 2))
      // If the wait blocked the event loop, this timer would never release the lock.
      setTimeout(() => void release(), 50)
      await waiting
      expect(await readCounters(database)).toEqual({ a: 2, b: 0 })
    })

    it('throws database_busy if the lock is not released in time', async () => {
      const release = await hold()
      const other = openAgain({ lockTimeout: 0.2 })
      await expect(
        other.transaction((trx) => set(other.executor(trx), 'a', 2)),
      ).rejects.toMatchObject({
        code: 'database_busy',
        status: 503,
        headers: { 'retry-after': '1' },
      })
      await release()
      expect(await readCounters(database)).toEqual({ a: 1, b: 0 })
    })

    it('throws database_busy outside of a transaction, too', async () => {
      const release = await hold()
      const other = openAgain({ lockTimeout: 0.2 })
      await expect(set(other.executor(other.kysely), 'a', 2)).rejects.toMatchObject({
        code: 'database_busy',
      })
      await release()
    })

    it('treats background work as outside of the transaction after the body has ended', async () => {
      const later = Promise.withResolvers<void>()
      let background: Promise<unknown> = Promise.resolve()
      await database.transaction(async () => {
        background = later.promise.then(() => readCounters(database))
      })
      later.resolve()
      expect(await background).toEqual({ a: 0, b: 0 })
    })

    if (engine.name === 'sqlite') return

    it('retries the transaction that lost a deadlock', async () => {
      const firstRound = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let runs = 0
      const cross = (order: readonly [string, string], turn: 0 | 1): Promise<void> =>
        database.transaction(async (trx) => {
          runs++
          const executor = database.executor(trx)
          await executor.execute(`UPDATE counters SET n = n + 1 WHERE id = '${order[0]}'`)
          firstRound[turn]?.resolve()
          await Promise.all(firstRound.map(({ promise }) => promise)) // Each has locked one row.
          await executor.execute(`UPDATE counters SET n = n + 10 WHERE id = '${order[1]}'`)
        })
      await Promise.all([cross(['a', 'b'], 0), cross(['b', 'a'], 1)])
      expect(runs).toBeGreaterThan(2)
      expect(await readCounters(database)).toEqual({ a: 11, b: 11 })
    })

    it('does not commit after an error that rolled the transaction back, even if the callback ignores the error', async () => {
      const release = await hold()
      const other = openAgain({ lockTimeout: 0.2 })
      const careless = other.transaction(async (trx) => {
        const executor = other.executor(trx)
        await set(executor, 'b', 5)
        await set(executor, 'a', 5).catch(() => {})
        await set(executor, 'b', 6).catch(() => {})
      })
      await expect(careless).rejects.toMatchObject({ code: 'database_busy' })
      await release()
      expect(await readCounters(database)).toEqual({ a: 1, b: 0 })
    })

    it('does not commit after such an error of a Kysely query, either', async () => {
      const release = await hold()
      const other = openAgain({ lockTimeout: 0.2 })
      const careless = other.transaction(async (trx) => {
        const setTo = (id: string, n: number): Promise<unknown> =>
          sql`UPDATE counters SET n = ${n} WHERE id = ${id}`.execute(trx)
        await setTo('b', 5)
        await setTo('a', 5).catch(() => {})
        await setTo('b', 6).catch(() => {})
      })
      await expect(careless).rejects.toThrow()
      await release()
      expect(await readCounters(database)).toEqual({ a: 1, b: 0 })
    })

    it('sees commits of other transactions (READ COMMITTED)', async () => {
      const other = openAgain()
      const seen: unknown[] = []
      await database.transaction(async (trx) => {
        const read = async (): Promise<void> => {
          const [row] = await database.executor(trx).query("SELECT n FROM counters WHERE id = 'a'")
          seen.push(row?.['n'])
        }
        await read()
        await set(other.executor(other.kysely), 'a', 7)
        await read()
      })
      expect(seen).toEqual([0, 7])
    })
  })
})
