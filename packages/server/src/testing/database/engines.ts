import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrate } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import type { Database, Dialect, MigrationSet } from '../../database/types.ts'
import { reuseDatabases } from './reuse-databases.ts'

/** A database for one test. It contains no rows of other tests. */
export interface TestDatabase<Tables> {
  readonly database: Database<Tables>
  /** A URL that opens the same database in any process. */
  readonly url: string
  /** Closes the connections and removes the database. */
  close(): Promise<void>
}

/** A database engine that tests run on. */
export interface TestEngine {
  readonly name: Dialect
  open<Tables = unknown>(): Promise<TestDatabase<Tables>>
  /**
   * Returns a database with the empty tables of these components. If the engine is a server,
   * `close` keeps the database for a later test.
   */
  openMigrated<Tables = unknown>(sets: readonly MigrationSet[]): Promise<TestDatabase<Tables>>
  /** Removes the databases that were kept, and closes the connection that creates them. */
  close(): Promise<void>
}

/**
 * Returns the URLs in `QUILLGATE_TEST_POSTGRES_URL` and `QUILLGATE_TEST_MARIADB_URL`. The defaults
 * are the standard ports of this machine.
 */
export function testServers(): { readonly postgres: string; readonly mariadb: string } {
  const { env } = process
  return {
    postgres: env['QUILLGATE_TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test',
    mariadb: env['QUILLGATE_TEST_MARIADB_URL'] ?? 'mysql://root@127.0.0.1:3306/test',
  }
}

/** Returns the engine of SQLite. Databases are files, so that other processes can open them. */
export function sqliteEngine(): TestEngine {
  async function open<Tables>(): Promise<TestDatabase<Tables>> {
    const folder = await mkdtemp(join(tmpdir(), 'quillgate-test-'))
    const url = `sqlite:${join(folder, 'test.sqlite')}`
    const database = openDatabase<Tables>(url, TEST_OPTIONS)
    return {
      database,
      url,
      async close() {
        await database.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  }
  return {
    name: 'sqlite',
    open,
    async openMigrated<Tables>(sets: readonly MigrationSet[]) {
      const test = await open<Tables>()
      for (const set of sets) await migrate(test.database, set)
      return test
    },
    async close() {},
  }
}

/**
 * Returns the engine of PostgreSQL. Each test gets its own schema, because creating a database
 * takes half a second on a busy machine.
 */
export function postgresEngine(serverUrl: string): TestEngine {
  return serverEngine('postgres', serverUrl, (name) => {
    // Does not use `searchParams`, because it encodes a space as "+". Some clients do not decode
    // "+".
    const separator = serverUrl.includes('?') ? '&' : '?'
    return {
      url: `${serverUrl}${separator}options=-c%20search_path%3D${name}`,
      create: `CREATE SCHEMA ${name}`,
      drop: `DROP SCHEMA ${name} CASCADE`,
    }
  })
}

/** Returns the engine of MariaDB. Each test gets its own database. */
export function mariadbEngine(serverUrl: string): TestEngine {
  return serverEngine('mariadb', serverUrl, (name) => {
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return { url: url.href, create: `CREATE DATABASE ${name}`, drop: `DROP DATABASE ${name}` }
  })
}

/** Returns the reason why a server cannot be used, or null if it can be used. */
export async function whyUnavailable(serverUrl: string): Promise<string | null> {
  try {
    await runOnServer(serverUrl, 'SELECT 1')
    return null
  } catch (error) {
    const { cause } = error as Error
    return cause instanceof Error && cause.message !== '' ? cause.message : String(error)
  }
}

/**
 * Returns every engine that answers, SQLite first.
 *
 * @param onMissing called for the engines that do not answer
 */
export async function availableEngines(
  onMissing: (name: Dialect, reason: string) => void,
): Promise<TestEngine[]> {
  const { postgres, mariadb } = testServers()
  const engines = [sqliteEngine()]
  for (const [engine, url] of [
    [postgresEngine(postgres), postgres],
    [mariadbEngine(mariadb), mariadb],
  ] as const) {
    const reason = await whyUnavailable(url)
    if (reason === null) engines.push(engine)
    else onMissing(engine.name, reason)
  }
  return engines
}

// The pools are small, because many test files run at once and a server accepts only about a
// hundred connections.
const TEST_OPTIONS = { poolSize: 4, connectTimeout: 5 } as const

function serverEngine(
  name: 'postgres' | 'mariadb',
  serverUrl: string,
  place: (placeName: string) => { url: string; create: string; drop: string },
): TestEngine {
  const engine = reuseDatabases(name, async <Tables>() => {
    const { url, create, drop } = place(`quillgate_test_${randomBytes(8).toString('hex')}`)
    await runOnServer(serverUrl, create)
    const database = openDatabase<Tables>(url, TEST_OPTIONS)
    return {
      database,
      url,
      async close() {
        await database.close()
        await runOnServer(serverUrl, drop)
      },
    }
  })
  return {
    ...engine,
    async close() {
      await engine.close()
      await administrators.get(serverUrl)?.close()
      administrators.delete(serverUrl)
    },
  }
}

/** One connection to each server, which creates and removes the databases of the tests. */
const administrators = new Map<string, Database>()

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const server =
    administrators.get(serverUrl) ?? openDatabase(serverUrl, { poolSize: 1, connectTimeout: 5 })
  administrators.set(serverUrl, server)
  await sql.raw(statement).execute(server.kysely)
}
