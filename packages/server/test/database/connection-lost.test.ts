import { type Database, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { startTcpProxy, type TcpProxy } from './fixtures/tcp-proxy.ts'

const UNAVAILABLE = { code: 'database_unavailable', status: 503 }

describe('a connection that breaks', () => {
  describeDatabases(
    (engine) => {
      /** Sees the server directly. */
      let direct: Database
      /** Goes through the proxy. */
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

      it('in the middle of a statement is database_unavailable, and the next statement gets a new one', async () => {
        proxy.cutAfter('counters')
        await expect(readCounters(database)).rejects.toMatchObject(UNAVAILABLE)
        expect(await readCounters(database)).toEqual({ a: 0 })
      })

      it('in the pool does no harm', async () => {
        await readCounters(database)
        proxy.cut()
        await vi.waitFor(async () => expect(await readCounters(database)).toEqual({ a: 0 }))
      })

      it('within a transaction fails it, without running it again', async () => {
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

      it('hides no error of the work', async () => {
        const failing = database.transaction(async () => {
          proxy.cut()
          throw new Error('changed my mind')
        })
        await expect(failing).rejects.toThrow('changed my mind')
      })

      it('during the commit is commit_unknown, and the transaction does not run again', async () => {
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
