import { type Database, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { startTcpProxy, type TcpProxy } from './fixtures/tcp-proxy.ts'

const UNAVAILABLE = { code: 'database_unavailable', status: 503 }

describe('a connection that breaks', () => {
  describeDatabases(
    (engine) => {
      let direct: Database
      let database: Database
      let proxy: TcpProxy
      let close: () => Promise<void>

      beforeEach(async () => {
        const fixture = await engine.open()
        direct = fixture.database
        await createCounters(direct, 'a')
        const url = new URL(fixture.url)
        proxy = await startTcpProxy(Number(url.port))
        url.port = String(proxy.port)
        database = openDatabase(url.href, { poolSize: 2 })
        close = async () => {
          await database.close()
          await proxy.close()
          await fixture.close()
        }
      })
      afterEach(() => close())

      it('throws database_unavailable during a statement, and the next statement gets a new connection', async () => {
        proxy.cutAfter('counters')
        await expect(readCounters(database)).rejects.toMatchObject(UNAVAILABLE)
        expect(await readCounters(database)).toEqual({ a: 0 })
      })

      it('has no effect if the connection is idle in the pool', async () => {
        await readCounters(database)
        proxy.cut()
        await vi.waitFor(async () => expect(await readCounters(database)).toEqual({ a: 0 }))
      })

      it('fails the transaction without a retry', async () => {
        let runs = 0
        const failing = database.transaction(async (trx) => {
          runs++
          const executor = database.executor(trx)
          await executor.execute('UPDATE counters SET n = 1')
          proxy.cut()
          await executor.execute('UPDATE counters SET n = 2')
        })
        await expect(failing).rejects.toMatchObject(UNAVAILABLE)
        expect(runs).toBe(1)
        expect(await readCounters(database)).toEqual({ a: 0 })
      })

      it('does not hide the error of a transaction callback', async () => {
        const failing = database.transaction(async () => {
          proxy.cut()
          throw new Error('changed my mind')
        })
        await expect(failing).rejects.toThrow('changed my mind')
      })

      it('throws commit_unknown during the commit, and the transaction is not retried', async () => {
        let runs = 0
        const failing = database.transaction(async (trx) => {
          runs++
          await database.executor(trx).execute('UPDATE counters SET n = n + 1')
          proxy.cutAfter('commit')
        })
        await expect(failing).rejects.toMatchObject({ code: 'commit_unknown', status: 503 })
        expect(runs).toBe(1)
        await vi.waitFor(async () => expect(await readCounters(direct)).toEqual({ a: 1 }))
      })
    },
    ['postgres', 'mariadb'],
  )
})
