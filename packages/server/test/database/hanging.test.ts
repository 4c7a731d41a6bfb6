import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '@quillgate/server/database'
import { sqliteEngine, type TestDatabase } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { startTcpProxy, type TcpProxy } from './fixtures/tcp-proxy.ts'

const UNAVAILABLE = { code: 'database_unavailable', status: 503, headers: { 'retry-after': '1' } }
const LIMITS = { poolSize: 2, connectTimeout: 1, statementTimeout: 0.5 }

describe('a server that hangs', () => {
  describeDatabases(
    (engine) => {
      let fixture: TestDatabase<unknown>
      let database: Database
      let proxy: TcpProxy
      beforeEach(async () => {
        fixture = await engine.open()
        await createCounters(fixture.database, 'a')
        const url = new URL(fixture.url)
        proxy = await startTcpProxy(Number(url.port))
        url.port = String(proxy.port)
        database = openDatabase(url.href, LIMITS)
      })
      afterEach(async () => {
        proxy.cut()
        await database.close()
        await proxy.close()
        await fixture.close()
      })
      const slowQuery = engine.name === 'postgres' ? 'SELECT pg_sleep(20)' : 'SELECT sleep(20)'
      const all = (count: number): Promise<PromiseSettledResult<unknown>[]> =>
        Promise.allSettled(Array.from({ length: count }, () => readCounters(database)))

      it('fails every statement after the time limit, also statements that wait for a connection, and then recovers', async () => {
        await all(2) // Opens both connections of the pool, so that they hang, too.
        proxy.freeze()
        for (const result of await all(6)) {
          expect(result).toMatchObject({ status: 'rejected', reason: UNAVAILABLE })
        }
        // The pool has closed the connections that hang, so this statement opens a new one.
        await expect(readCounters(database)).rejects.toMatchObject(UNAVAILABLE)
        proxy.thaw()
        await vi.waitFor(async () => expect(await readCounters(database)).toEqual({ a: 0 }), {
          timeout: 10_000,
        })
        expect(await all(6)).toEqual(Array(6).fill({ status: 'fulfilled', value: { a: 0 } }))
      })

      it('throws commit_unknown if it hangs during the commit', async () => {
        const failing = database.transaction(async (trx) => {
          await database.executor(trx).execute('UPDATE counters SET n = n + 1')
          proxy.freeze()
        })
        await expect(failing).rejects.toMatchObject({ code: 'commit_unknown', status: 503 })
        proxy.thaw()
        await vi.waitFor(async () => expect(await readCounters(database)).toMatchObject({}), {
          timeout: 10_000,
        })
      })

      it('cancels a slow statement itself, and the statement is not retried', async () => {
        const began = performance.now()
        const slow = database.executor(database.kysely).query(slowQuery)
        await expect(slow).rejects.toMatchObject({
          code: 'database_busy',
          status: 503,
          headers: { 'retry-after': '1' },
        })
        expect(performance.now() - began).toBeLessThan(15_000)
        expect(await readCounters(database)).toEqual({ a: 0 })
      })

      it('closes a connection whose settings failed', async () => {
        await all(2)
        proxy.refuse()
        proxy.cut()
        for (let round = 0; round < 5; round++) {
          await expect(readCounters(database)).rejects.toMatchObject(UNAVAILABLE)
        }
        proxy.accept()
        expect(await all(2)).toEqual(Array(2).fill({ status: 'fulfilled', value: { a: 0 } }))
      })
    },
    ['postgres', 'mariadb'],
  )
})

describe('a SQLite file that another process locks', () => {
  it('fails all writers after one time limit, still allows reads, and then recovers', async () => {
    const fixture = await sqliteEngine().open()
    await createCounters(fixture.database, 'a')
    const other = openDatabase(fixture.url)
    const database = openDatabase(fixture.url, { lockTimeout: 1 })
    const write = (): Promise<unknown> =>
      database.executor(database.kysely).execute('UPDATE counters SET n = n + 1')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const holding = other.transaction(async () => {
      take()
      await held
    })
    await taken
    const began = performance.now()
    const writes: Promise<unknown>[] = []
    const reads: Promise<unknown>[] = []
    for (let user = 0; user < 20; user++) {
      writes.push(write())
      reads.push(readCounters(database))
    }
    const results = await Promise.allSettled(writes)
    expect(await Promise.all(reads)).toEqual(Array(20).fill({ a: 0 }))
    for (const result of results) {
      expect(result).toMatchObject({
        reason: { code: 'database_busy', headers: { 'retry-after': '1' } },
      })
    }
    expect(performance.now() - began).toBeLessThan(10_000) // In sequence, this would take 20 s.
    release()
    await holding
    await write()
    expect(await readCounters(database)).toEqual({ a: 1 })
    for (const each of [database, other]) await each.close()
    await fixture.close()
  })

  it('waits one time limit for each attempt to open the file', async () => {
    const fixture = await sqliteEngine().open()
    const other = new DatabaseSync(fixture.url.slice('sqlite:'.length))
    other.exec('BEGIN EXCLUSIVE')
    const database = openDatabase(fixture.url, { lockTimeout: 0.3 })
    const open = (): Promise<unknown> => sql`SELECT 1`.execute(database.kysely)
    await expect(open()).rejects.toMatchObject({ code: 'database_unavailable' })
    const opening = open()
    setTimeout(() => other.exec('COMMIT'), 50)
    await opening
    other.close()
    await database.close()
    await fixture.close()
  })

  it('does not time out while it waits for a transaction of the same process', async () => {
    const fixture = await sqliteEngine().open()
    await createCounters(fixture.database, 'a')
    const database = openDatabase(fixture.url, { lockTimeout: 0.05 })
    const slow = database.transaction(() => sleep(300))
    const waiting = database.transaction((trx) =>
      database.executor(trx).execute('UPDATE counters SET n = n + 1'),
    )
    await slow
    expect(await waiting).toEqual({ affected: 1 })
    await database.close()
    await fixture.close()
  })
})
