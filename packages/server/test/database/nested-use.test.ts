import { createQuillgate } from '@quillgate/server'
import { type Database, openDatabase } from '@quillgate/server/database'
import { type DatabaseFixture, describeDatabases } from '@quillgate/server/testing/suites'
import { CamelCasePlugin, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const MISUSE = { code: 'transaction_misuse' }
const secret = 'a secret of at least thirty-two bytes'

/** Ways in which an application can open the Kysely instance of its database again. */
const PARTS: Readonly<Record<string, (database: Database) => Database>> = {
  'another openDatabase': ({ kysely }) => openDatabase(kysely),
  'another openDatabase, with a plugin': ({ kysely }) =>
    openDatabase(kysely.withPlugin(new CamelCasePlugin())),
  'an application object': ({ kysely }) =>
    createQuillgate({ secret, database: kysely }).parts.database,
}

describe('inside a transaction', () => {
  describeDatabases((engine) => nestedUseCases(() => engine.open()))

  describe('pglite', () => {
    let database: Database
    beforeAll(async () => {
      database = openDatabase('pglite:memory')
      await sql`SELECT 1`.execute(database.kysely) // PGlite needs seconds to start.
    })
    afterAll(() => database.close())
    nestedUseCases(async () => ({ database, async close() {} }))
  })
})

function nestedUseCases(open: () => Promise<DatabaseFixture>): void {
  let fixture: DatabaseFixture
  beforeEach(async () => {
    fixture = await open()
  })
  afterEach(() => fixture.close())

  it.each(Object.keys(PARTS))('rejects %s on the same Kysely instance', async (part) => {
    const { database } = fixture
    const other = PARTS[part]?.(database) ?? database
    const [executor, otherExecutor] = [
      database.executor(database.kysely),
      other.executor(other.kysely),
    ]
    const nested = [
      database.transaction(() => otherExecutor.query('SELECT 1')),
      database.transaction(() => other.transaction(async () => {})),
      other.transaction(() => executor.query('SELECT 1')),
      other.transaction(() => database.transaction(async () => {})),
    ]
    for (const result of await Promise.allSettled(nested))
      expect(result).toMatchObject({ status: 'rejected', reason: MISUSE })
    expect(await otherExecutor.query('SELECT 1 AS one')).toHaveLength(1)
  })

  it('rejects statements of the Kysely instance', async () => {
    const { database } = fixture
    const { kysely } = database
    const uses: (() => Promise<unknown>)[] = [
      () => sql`SELECT 1`.execute(kysely),
      () => kysely.connection().execute(async () => {}),
      () => kysely.transaction().execute(async () => {}),
    ]
    for (const use of uses) await expect(database.transaction(use)).rejects.toMatchObject(MISUSE)
    expect((await sql`SELECT 1 AS one`.execute(kysely)).rows).toHaveLength(1)
  })
}
