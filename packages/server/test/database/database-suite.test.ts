import { openDatabase } from '@quillgate/server/database'
import { sqliteEngine } from '@quillgate/server/testing'
import { databaseSuite, describeDatabases } from '@quillgate/server/testing/suites'
import BetterSqlite from 'better-sqlite3'
import {
  CamelCasePlugin,
  Kysely,
  type Dialect as KyselyDialect,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, expect, vi } from 'vitest'

describe('openDatabase with a URL', () => {
  describeDatabases((engine) => databaseSuite(() => engine.open()))

  describe('sqlite::memory:', () => {
    databaseSuite(async () => {
      const database = openDatabase('sqlite::memory:')
      return { database, close: () => database.close() }
    })
  })
})

describe("openDatabase with the application's Kysely", () => {
  describeDatabases((engine) => {
    databaseSuite(async () => {
      const { url, close } = await engine.open()
      // Quillgate must ignore this plugin, because it would rename the columns.
      const kysely = new Kysely({ dialect: plainDialect(url), plugins: [new CamelCasePlugin()] })
      return {
        database: openDatabase(kysely),
        async close() {
          await kysely.destroy()
          await close()
        },
      }
    })
  })
})

describe("openDatabase with the application's pool", () => {
  describeDatabases(
    (engine) => {
      databaseSuite(async () => {
        const { url, close } = await engine.open()
        const pool = url.startsWith('mysql:')
          ? createPool({ uri: url, connectionLimit: 4 })
          : new pg.Pool({ connectionString: url, max: 4 })
        return {
          database: openDatabase(pool),
          async close() {
            await ('getConnection' in pool ? pool.promise().end() : pool.end())
            await close()
          },
        }
      })
    },
    ['postgres', 'mariadb'],
  )
})

describe('openDatabase with the Kysely of a Database from another copy of the package', () => {
  databaseSuite(async () => {
    const { database, close } = await sqliteEngine().open()
    vi.resetModules()
    const copy = await import('@quillgate/server/database')
    expect(copy.openDatabase).not.toBe(openDatabase)
    return { database: copy.openDatabase(database.kysely), close }
  })
})

/** Creates a dialect without Quillgate, as an application does. */
function plainDialect(url: string): KyselyDialect {
  if (url.startsWith('sqlite:'))
    return new SqliteDialect({ database: new BetterSqlite(url.slice('sqlite:'.length)) })
  if (url.startsWith('mysql:'))
    return new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 4 }) })
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 4 }) })
}
