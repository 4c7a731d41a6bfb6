import { createSqlExecutor, openDatabase } from '@quillgate/server/database'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { retryStatements } from '../../src/database/retry.ts'

const DEADLOCK = Object.assign(new Error('Deadlock found when trying to get lock'), {
  code: 'ER_LOCK_DEADLOCK',
})

describe('a single statement', () => {
  let database: ReturnType<typeof openDatabase>
  beforeEach(() => {
    database = openDatabase('sqlite::memory:')
  })
  afterEach(() => database.close())

  const failing = (times: number, error: unknown, patience = 10_000) => {
    const executor = createSqlExecutor(database.kysely)
    let calls = 0
    const query: typeof executor.query = async (sql, params) => {
      if (++calls <= times) throw error
      return executor.query(sql, params)
    }
    const retrying = retryStatements({ ...executor, query }, patience)
    return { run: () => retrying.query('SELECT 1 AS one'), calls: () => calls }
  }

  it('is retried after it lost a deadlock', async () => {
    const { run, calls } = failing(3, DEADLOCK)
    expect(await run()).toEqual([{ one: 1 }])
    expect(calls()).toBe(4)
  })

  it('throws database_busy if it loses repeatedly', async () => {
    const { run, calls } = failing(Number.POSITIVE_INFINITY, DEADLOCK, 50)
    await expect(run()).rejects.toMatchObject({ code: 'database_busy', cause: DEADLOCK })
    expect(calls()).toBeGreaterThan(1)
  })

  it('is not retried after another failure', async () => {
    const { run, calls } = failing(1, new Error('no such table'))
    await expect(run()).rejects.toThrow('no such table')
    expect(calls()).toBe(1)
  })
})
