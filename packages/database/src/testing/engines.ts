import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../open.ts'
import type { Database, Dialect } from '../types.ts'

/** A fresh database of a test. */
export interface TestDatabase<Tables> {
  readonly database: Database<Tables>
  /** Opens the same database once more, also from another process. */
  readonly url: string
  /** Closes the connections and removes the database. */
  close(): Promise<void>
}

/** One engine that tests run on. */
export interface TestEngine {
  readonly name: Dialect
  /** Makes a new, empty database. Every call makes another one. */
  open<Tables = unknown>(): Promise<TestDatabase<Tables>>
}

/** SQLite in a temporary file, so that a second process can open it. */
export function sqliteEngine(): TestEngine {
  return {
    name: 'sqlite',
    async open<Tables>() {
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
    },
  }
}

/**
 * A server, on which every test gets its own database.
 *
 * @param serverUrl a database on the server from which others can be created
 */
export function serverEngine(name: 'postgres' | 'mariadb', serverUrl: string): TestEngine {
  return {
    name,
    async open<Tables>() {
      const databaseName = `quillgate_test_${randomBytes(8).toString('hex')}`
      await runOnServer(serverUrl, `CREATE DATABASE ${databaseName}`)
      const url = new URL(serverUrl)
      url.pathname = `/${databaseName}`
      const database = openDatabase<Tables>(url.href, TEST_OPTIONS)
      return {
        database,
        url: url.href,
        async close() {
          await database.close()
          await dropDatabase(serverUrl, databaseName)
        },
      }
    },
  }
}

/** Says why the server cannot be used, or null when it can. */
export async function whyUnavailable(serverUrl: string): Promise<string | null> {
  try {
    await runOnServer(serverUrl, 'SELECT 1')
    return null
  } catch (error) {
    const { cause } = error as Error
    return cause instanceof Error && cause.message !== '' ? cause.message : String(error)
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const OBJECT_IN_USE = '55006'

/** Small pools: many test files run at once, and a server has a hundred connections or so. */
const TEST_OPTIONS = { poolSize: 4, connectTimeout: 5 } as const

/**
 * PostgreSQL waits some seconds for sessions that are closing; to force it at once would break connections of the test
 * that are just ending.
 */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  try {
    await runOnServer(serverUrl, `DROP DATABASE ${name}`)
  } catch (error) {
    if ((error as { code?: unknown }).code !== OBJECT_IN_USE) throw error
    await runOnServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const server = openDatabase(serverUrl, { poolSize: 1, connectTimeout: 5 })
  try {
    await sql.raw(statement).execute(server.kysely)
  } finally {
    await server.close()
  }
}
