import { migrate, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
} from 'kysely'
import { describe, expect, it } from 'vitest'
import { checkServer } from '../../src/database/migrate.ts'
import { notes } from './fixtures/notes-migrations.ts'

class VersionDriver extends DummyDriver {
  readonly #version: string

  constructor(version: string) {
    super()
    this.#version = version
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    const rows = [{ version: this.#version }]
    return Object.assign(connection, { executeQuery: async () => ({ rows }) }) as DatabaseConnection
  }
}

const serverOf = (version: string) =>
  openDatabase(
    new Kysely<unknown>({
      dialect: {
        createAdapter: () => new MysqlAdapter(),
        createDriver: () => new VersionDriver(version),
        createIntrospector: (db) => new MysqlIntrospector(db),
        createQueryCompiler: () => new MysqlQueryCompiler(),
      },
    }),
  )

describe('checkServer', () => {
  it.each([
    '10.6.0-MariaDB',
    '10.11.14-MariaDB-0+deb12u2',
    '11.4.2-MariaDB-log',
    '5.5.5-10.6.12-MariaDB',
  ])('accepts %s', async (version) => {
    await checkServer(serverOf(version))
  })

  it.each([
    '8.0.36',
    '9.1.0-commercial',
    '8.0.36-0ubuntu0.22.04.1',
    '10.5.29-MariaDB',
    '5.5.68-MariaDB',
    'nonsense',
  ])('rejects %s', async (version) => {
    const refused = { code: 'configuration_error', message: expect.stringContaining(version) }
    await expect(checkServer(serverOf(version))).rejects.toMatchObject(refused)
    await expect(migrate(serverOf(version), notes)).rejects.toMatchObject(refused)
  })

  describeDatabases((engine) => {
    it('accepts the servers of these tests', async () => {
      const { database, close } = await engine.open()
      await checkServer(database)
      await close()
    })
  })
})
