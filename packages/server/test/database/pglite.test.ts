import { type Database, openDatabase } from '@quillgate/server/database'
import { databaseSuite } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe } from 'vitest'

describe('openDatabase with pglite:memory', () => {
  let database: Database

  // PGlite needs seconds to start, so the tests share one database and empty it before each test.
  beforeAll(() => {
    database = openDatabase('pglite:memory')
  })
  afterAll(() => database.close())

  databaseSuite(async () => {
    const executor = database.executor(database.kysely)
    await executor.execute('DROP SCHEMA public CASCADE')
    await executor.execute('CREATE SCHEMA public')
    return { database, async close() {} }
  })
})
