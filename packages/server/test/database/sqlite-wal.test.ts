import { type FileHandle, mkdtemp, open, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Database, openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'

let directory: string
let path: string
let database: Database<{ counters: { id: string; n: number } }>
let executor: SqlExecutor
let syncs: PromiseWithResolvers<void>[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quillgate-wal-'))
  path = join(directory, 'app.sqlite')
  database = openDatabase(`sqlite:${path}`)
  await createCounters(database, 'a', 'b')
  executor = database.executor(database.kysely)
  syncs = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const sync of syncs) sync.resolve()
  await database.close()
  await rm(directory, { recursive: true })
})

const add = (id = 'a', by = executor): Promise<unknown> =>
  by.execute('UPDATE counters SET n = n + 1 WHERE id = ?', [id])

async function holdSyncs(): Promise<void> {
  const handle = await open(path)
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  vi.spyOn(prototype, 'datasync').mockImplementation(() => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  })
}

/** Returns the number of promises that settle without further action of the test. */
async function settledOf(promises: readonly Promise<unknown>[]): Promise<number> {
  let settled = 0
  for (const promise of promises) void promise.then(() => settled++).catch(() => settled++)
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  return settled
}

describe('a commit on SQLite', () => {
  it('writes to the file that a symbolic link refers to', async () => {
    const link = join(directory, 'link.sqlite')
    await symlink(path, link)
    const linked = openDatabase<{ counters: { id: string; n: number } }>(`sqlite:${link}`)
    await add('a', linked.executor(linked.kysely))
    await linked.close()
    expect(await readCounters(database)).toEqual({ a: 1, b: 0 })
  })

  it('resolves only when the log is on disk', async () => {
    await holdSyncs()
    const statement = add()
    const transaction = database.transaction((trx) => add('a', database.executor(trx)))
    expect(await settledOf([statement, transaction])).toBe(0)
    syncs[0]?.resolve()
    expect(await settledOf([statement, transaction])).toBe(1)
    syncs[1]?.resolve()
    await transaction
    expect(syncs).toHaveLength(2)
  })

  it('resolves immediately with a relaxed executor, and is on disk after the next durable commit', async () => {
    await holdSyncs()
    const relaxed = database.executor(database.kysely, { durable: false })
    await add('a', relaxed)
    expect(syncs).toHaveLength(0)
    const read = readCounters(database)
    expect(await settledOf([read])).toBe(0)
    syncs[0]?.resolve()
    expect(await read).toEqual({ a: 1, b: 0 })
    const inTransaction = database.transaction((trx) =>
      add('a', database.executor(trx, { durable: false })),
    )
    expect(await settledOf([inTransaction])).toBe(0)
    syncs[1]?.resolve()
    await inTransaction
  })

  it('shares one sync with all waiting commits', async () => {
    await holdSyncs()
    const adding = Array.from({ length: 20 }, () => add())
    await settledOf(adding)
    syncs[0]?.resolve()
    await adding[0]
    expect(await settledOf(adding)).toBe(1)
    expect(syncs).toHaveLength(2)
    syncs[1]?.resolve()
    await Promise.all(adding)
    expect(await readCounters(database)).toEqual({ a: 20, b: 0 })
    expect(syncs).toHaveLength(2)
  })

  it('is visible to readers only when it is on disk', async () => {
    await holdSyncs()
    const adding = add()
    const reading = readCounters(database)
    expect(await settledOf([adding, reading])).toBe(0)
    for (let turn = 0; turn < 2; turn++) {
      syncs.at(-1)?.resolve()
      await settledOf([])
    }
    expect(await reading).toEqual({ a: 1, b: 0 })
  })

  it('is on disk before it is visible, also if another connection made it', async () => {
    const other = openDatabase(`sqlite:${path}`)
    await readCounters(database)
    await add('b', other.executor(other.kysely))
    await holdSyncs()
    const reading = readCounters(database)
    expect(await settledOf([reading])).toBe(0)
    syncs[0]?.resolve()
    expect(await reading).toEqual({ a: 0, b: 1 })
    await readCounters(database)
    expect(syncs).toHaveLength(1)
    await other.close()
  })

  it('is awaited before the database is closed', async () => {
    await holdSyncs()
    const adding = add()
    const closing = database.close()
    expect(await settledOf([adding, closing])).toBe(0)
    syncs[0]?.resolve()
    await Promise.all([adding, closing])
    vi.restoreAllMocks()
    database = openDatabase(`sqlite:${path}`)
    expect(await readCounters(database)).toEqual({ a: 1, b: 0 })
  })

  it('rejects if it cannot be synced, and so do all later commits', async () => {
    await holdSyncs()
    const failure = { code: 'database_unavailable', status: 503 }
    const adding = expect(add()).rejects.toMatchObject(failure)
    const transaction = expect(
      database.transaction((trx) => add('a', database.executor(trx))),
    ).rejects.toMatchObject(failure)
    await settledOf([])
    syncs[0]?.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }))
    await Promise.all([adding, transaction])
    await expect(readCounters(database)).rejects.toMatchObject(failure)
  })
})

describe('a sync that begins before a commit', () => {
  /** Makes two commits, which begin a sync. `beginSecond` ends it, so that a second sync begins. */
  async function holdTwoSyncs(): Promise<{
    readonly beginSecond: () => Promise<unknown>
    readonly end: () => void
  }> {
    await holdSyncs()
    const commits = [add('b'), add('b')]
    await settledOf(commits)
    return {
      async beginSecond() {
        syncs[0]?.resolve()
        await settledOf([])
        expect(syncs).toHaveLength(2)
      },
      end: () => syncs[1]?.resolve(),
    }
  }

  it('does not count for a savepoint that is released after the sync began', async () => {
    const { beginSecond, end } = await holdTwoSyncs()
    const saving = database.kysely.connection().execute(async (connection) => {
      await sql`SAVEPOINT outermost`.execute(connection)
      await sql`UPDATE counters SET n = n + 1 WHERE id = 'a'`.execute(connection)
      await beginSecond()
      await sql`RELEASE outermost`.execute(connection)
    })
    await settledOf([])
    end()
    expect(await settledOf([saving])).toBe(0)
    expect(syncs).toHaveLength(3)
    syncs[2]?.resolve()
    await saving
  })
})

describe('reading from SQLite', () => {
  it('does not sync', async () => {
    await holdSyncs()
    await readCounters(database)
    await database.kysely.selectFrom('counters').selectAll().execute()
    expect(syncs).toHaveLength(0)
  })

  it.each(['this', 'another'])('returns the columns that %s connection changed', async (which) => {
    const other = openDatabase(`sqlite:${path}`)
    const changing = which === 'this' ? executor : other.executor(other.kysely)
    const read = () => executor.query('SELECT * FROM counters')
    await read()
    await changing.execute('ALTER TABLE counters ADD COLUMN more integer DEFAULT 7')
    expect((await read())[0]).toEqual({ id: 'a', n: 0, more: 7 })
    await changing.execute('ALTER TABLE counters DROP COLUMN n')
    expect((await read())[0]).toEqual({ id: 'a', more: 7 })
    await other.close()
  })

  it('runs a statement again that has failed', async () => {
    const insert = (id: string) =>
      executor.query('INSERT INTO counters (id, n) VALUES (?, 1) RETURNING *', [id])
    await expect(insert('a')).rejects.toThrow('UNIQUE')
    expect(await insert('new')).toEqual([{ id: 'new', n: 1 }])
  })
})
