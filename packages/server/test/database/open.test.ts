import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { DummyDriver, Kysely, MssqlAdapter, MssqlIntrospector, MssqlQueryCompiler } from 'kysely'
import { createPool } from 'mysql2/promise'
import { describe, expect, it } from 'vitest'
import { createCounters, readCounters } from './fixtures/counters.ts'
import { runNode } from './fixtures/run-node.ts'

describe('openDatabase', () => {
  it.each([
    '',
    'sqlite:',
    './file.sqlite',
    'mssql://sa@host/db',
    'postgres:host/db',
    'mysql:',
    'postgres://a:b@:x/',
  ])('rejects the source %j', (source) => {
    expect(() => openDatabase(source)).toThrow(
      expect.objectContaining({ code: 'configuration_error' }),
    )
  })

  it.each([
    ['sqlite::memory', '"sqlite::memory:"'],
    ['sqlite:memory:', '"sqlite::memory:"'],
    ['sqlite:memory', '"sqlite::memory:"'],
    ['sqlite::MEMORY:', '"sqlite::memory:"'],
    ['pglite::memory:', '"pglite:memory"'],
    ['sqlite::app.sqlite', '"sqlite:./data/app.sqlite"'],
    ['sqlite: ./app.sqlite', '"sqlite:./data/app.sqlite"'],
    ['sqlite:sqlite:./app.sqlite', '"sqlite:./data/app.sqlite"'],
  ])('rejects %s and names the correction', (source, correction) => {
    expect(() => openDatabase(source)).toThrow(
      expect.objectContaining({
        code: 'configuration_error',
        message: expect.stringContaining(correction),
      }),
    )
  })

  it.each([
    'sqlite:postgres://ada:hunter2@host/db',
    'posgres://ada:hunter2@host/db.sqlite',
    'sqlite:jdbc:postgresql://host/db?password=hunter2',
    'sqlite:sqlserver:host;Password=hunter2',
    'pglite:postgres://ada:hunter2',
  ])('shows no password of %s', (source) => {
    expect(() => openDatabase(source)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })

  it.each([5, null, undefined, {}, { withoutPlugins: () => {} }, () => {}])(
    'rejects %s, which is not Kysely',
    (source) => {
      expect(() => openDatabase(source as never)).toThrow(
        expect.objectContaining({
          code: 'configuration_error',
          message: expect.stringContaining('database must be'),
        }),
      )
    },
  )

  it('shows no password of a malformed URL', () => {
    expect(() => openDatabase('postgres://ada:hunter2@host:port/db')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })

  it.each<NonNullable<Parameters<typeof openDatabase>[1]>>([
    { poolSize: 0 },
    { poolSize: 1.5 },
    { lockTimeout: 0 },
    { connectTimeout: Number.NaN },
  ])('rejects the options %j', (options) => {
    const [name] = Object.keys(options)
    expect(() => openDatabase('sqlite::memory:', options)).toThrow(
      expect.objectContaining({
        code: 'configuration_error',
        message: expect.stringContaining(name ?? ''),
      }),
    )
  })

  it('accepts a pool of mysql2/promise', () => {
    const pool = createPool({ uri: 'mysql://ada@127.0.0.1:1/db' })
    expect(openDatabase(pool).dialect).toBe('mariadb')
  })

  it.each([{}, { connect: () => {} }, null, 7])('rejects %j', (source) => {
    expect(() => openDatabase(source as never)).toThrow(/a Kysely instance, or a pool/)
  })

  it('rejects a Kysely instance of another dialect', () => {
    const kysely = new Kysely({
      dialect: {
        createAdapter: () => new MssqlAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new MssqlIntrospector(db),
        createQueryCompiler: () => new MssqlQueryCompiler(),
      },
    })
    expect(() => openDatabase(kysely)).toThrow(
      expect.objectContaining({ code: 'configuration_error' }),
    )
  })

  it.each(['postgres://ada:hunter2@127.0.0.1:1/db', 'mysql://ada:hunter2@127.0.0.1:1/db'])(
    'connects with the first statement, which fails with database_unavailable: %s',
    async (url) => {
      const database = openDatabase(url)
      const error = await database.transaction(async () => {}).catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        code: 'database_unavailable',
        status: 503,
        headers: { 'retry-after': '1' },
      })
      expect(error).toHaveProperty('cause')
      expect(String(error)).toMatch(
        /The database (postgres|mysql):\/\/127\.0\.0\.1:1\/db cannot be reached: .*ECONNREFUSED/,
      )
      expect(String(error)).not.toMatch(/ada|hunter2/)
      expect(error).toHaveProperty(
        'detail',
        'The database cannot be reached. Try again in a moment.',
      )
      await database.close()
    },
  )

  it('shows no part of a URL whose password contains an unencoded slash', async () => {
    const database = openDatabase('postgres://127.0.0.1:1/hunter2@host/db')
    const error = await database.transaction(async () => {}).catch((reason: unknown) => reason)
    expect(String(error)).toContain('The database postgres://… cannot be reached')
    expect(String(error)).not.toContain('hunter2')
    await database.close()
  })

  describeDatabases(
    (engine) => {
      it('logs why the server refused the connection, without the password', async () => {
        const { url, close } = await engine.open()
        const refuse = async (change: (url: URL) => void): Promise<unknown> => {
          const other = new URL(url)
          change(other)
          const database = openDatabase(other.href)
          const error = await database
            .transaction(async () => {})
            .catch((reason: unknown) => reason)
          await database.close()
          return error
        }
        const errors = [
          await refuse((other) => {
            other.pathname = '/nowhere_at_all'
          }),
          await refuse((other) => {
            other.username = 'nobody_at_all'
            other.password = 'hunter2'
          }),
        ]
        for (const error of errors) {
          expect(error).toMatchObject({
            code: 'database_unavailable',
            message: expect.stringMatching(/cannot be opened: .*_at_all/),
            detail: 'The database cannot be opened. See the server log.',
          })
          expect(error).not.toHaveProperty('headers.retry-after')
          expect(String(error)).toContain(new URL(url).host)
          expect(String(error)).not.toContain('hunter2')
        }
        await close()
      })
    },
    ['postgres', 'mariadb'],
  )

  it('names the package to install when a driver is missing', async () => {
    const errors = await runNode('./no-drivers-process.ts')
    expect(errors).toEqual([
      { code: 'driver_missing', message: expect.stringContaining('npm install pg') },
      { code: 'driver_missing', message: expect.stringContaining('npm install mysql2') },
      {
        code: 'driver_missing',
        message: expect.stringContaining('npm install @electric-sql/pglite'),
      },
    ])
  })

  it('creates the folder of a SQLite file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quillgate-test-'))
    const path = join(folder, 'data', 'deep', 'app.sqlite')
    const database = openDatabase(`sqlite:${path}`)
    expect(existsSync(path)).toBe(false)
    await createCounters(database)
    expect(existsSync(path)).toBe(true)
    await database.close()
    await rm(folder, { recursive: true })
  })

  it('names the path and the reason in the message, but not in the detail for clients', async () => {
    const database = openDatabase(`sqlite:${import.meta.filename}/app.sqlite`)
    const error = await createCounters(database).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'database_unavailable', status: 503 })
    expect(String(error)).toContain(`sqlite:${import.meta.filename}/app.sqlite cannot be opened: E`)
    expect(error).toHaveProperty('detail', 'The database cannot be opened. See the server log.')
    await database.close()
  })

  it('rejects a file that is not a database', async () => {
    const database = openDatabase(`sqlite:${import.meta.filename}`)
    await expect(createCounters(database)).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('cannot be opened'),
    })
    await database.close()
  })
})

describe('Database.close', () => {
  describeDatabases((engine) => {
    it('waits for a running transaction', async () => {
      const { database, url, close } = await engine.open()
      await createCounters(database, 'a')
      const other = openDatabase(url)
      const begun = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const running = other.transaction(async (trx) => {
        begun.resolve()
        await finish.promise
        await other.executor(trx).execute('UPDATE counters SET n = 1')
      })
      await begun.promise
      const closed = other.close()
      finish.resolve()
      await running
      await closed
      expect(await readCounters(database)).toEqual({ a: 1 })
      await close()
    })

    it("leaves the application's Kysely open", async () => {
      const { database, close } = await engine.open()
      await openDatabase(database.kysely).close()
      await createCounters(database, 'a')
      expect(await readCounters(database)).toEqual({ a: 0 })
      await close()
    })

    it('can be called before any statement', async () => {
      const { url, close } = await engine.open()
      await openDatabase(url).close()
      await close()
    })
  })
})
