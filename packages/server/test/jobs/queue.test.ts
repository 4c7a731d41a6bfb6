import type { SqlExecutor } from '@quillgate/server/database'
import { createJobTable, type Job, type JobHandler, Queue } from '@quillgate/server/jobs'
import type { TestDatabase } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const table = createJobTable('test_')
const TIMEOUT = 20

describe('a queue', () => {
  describeDatabases((engine) => {
    let test: TestDatabase<unknown>
    let executor: SqlExecutor
    let now: number
    let received: string[]

    beforeEach(async () => {
      test = await engine.open()
      executor = test.database.executor(test.database.kysely)
      for (const statement of table.createStatements(executor.dialect))
        await executor.execute(statement)
      now = Date.UTC(2026, 6, 1)
      received = []
    })
    afterEach(() => test.close())

    const createQueue = (
      handle: (job: Job<string>) => Promise<void>,
      over: SqlExecutor = executor,
    ): Queue<string> => {
      const handler: JobHandler<string> = {
        isOpen: () => true,
        handle: async ([job]) => {
          if (job) await handle(job)
          return { kind: 'done' }
        },
      }
      return new Queue<string>({
        table,
        executor: over,
        handler,
        write: (payload) => payload,
        read: (text) => text,
        clock: () => now,
        random: () => 0.5,
        attempts: 5,
        timeout: TIMEOUT,
        interval: null,
        retention: null,
        onError: () => {},
      })
    }
    const receive = async ({ payload }: Job<string>): Promise<void> => {
      received.push(payload)
    }
    const add = (queue: Queue<string>, count: number): Promise<void> => {
      const jobs = Array.from({ length: count }, (_, index) => ({
        id: `job${index}`,
        key: 'ada',
        kind: 'test',
        payload: `payload${index}`,
        createdAt: now,
      }))
      return test.database.transaction((trx) => queue.add(test.database.executor(trx), jobs))
    }

    it('repeats only the job whose delivery could not be recorded', async () => {
      const failing: SqlExecutor = {
        ...executor,
        execute: (sql, params = []) =>
          params.includes('delivered') && received.length === 3
            ? Promise.reject(new Error('The disk is full.'))
            : executor.execute(sql, params),
      }
      await add(createQueue(receive), 8)
      await expect(createQueue(receive, failing).runDue()).rejects.toThrow('The disk is full.')
      now += 60_000
      expect((await createQueue(receive).runDue()).delivered).toBe(6)
      expect(received).toEqual([0, 1, 2, 2, 3, 4, 5, 6, 7].map((index) => `payload${index}`))
    })

    it('passes only payloads that were not erased', async () => {
      const queue = createQueue(async (job) => {
        await receive(job)
        if (job.id !== 'job0') return
        await executor.execute("UPDATE test_job SET payload = 'erased' WHERE id = 'job1'")
        await executor.execute("DELETE FROM test_job WHERE id = 'job2'")
      })
      await add(queue, 4)
      await queue.runDue()
      expect(received).toEqual(['payload0', 'erased', 'payload3'])
    })

    it('keeps each job leased during its attempt', async () => {
      const other = createQueue(receive)
      const queue = createQueue(async (job) => {
        now += TIMEOUT * 1000
        await other.runDue()
        await receive(job)
      })
      await add(queue, 5)
      expect((await queue.runDue()).delivered).toBe(5)
      expect(received).toEqual([0, 1, 2, 3, 4].map((index) => `payload${index}`))
    })
  })
})
