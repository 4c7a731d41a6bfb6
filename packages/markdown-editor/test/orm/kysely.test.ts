import { kyselyExecutor } from '@quillgate/markdown-editor/orm/kysely'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import BetterSqlite from 'better-sqlite3'
import {
  type ControlledTransaction,
  type Generated,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { describe } from 'vitest'
import { pathOf } from './better-sqlite.ts'
import { explicitSaves, type Writes } from './explicit-saves.ts'
import { type OrmFixture, type OrmPost, ormTables } from './suite/orm-fixture.ts'
import { ormSuite } from './suite/orm-suite.ts'

interface Tables {
  post: {
    id: Generated<number>
    title: string
    topic: Generated<string>
    body: string | null
    summary: string | null
    deleted_at: string | null
  }
  note: { post_id: number; language: string; text: string; remark: Generated<string> }
}

function openKysely({ name }: TestEngine, url: string): Kysely<Tables> {
  if (name === 'sqlite')
    return new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(pathOf(url)) }) })
  if (name === 'postgres')
    return new Kysely({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
    })
  return new Kysely({ dialect: new MysqlDialect({ pool: createPool({ uri: url }) }) })
}

async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { url, database, close } = await engine.open()
  const { execute } = database.executor(database.kysely)
  for (const statement of ormTables(engine.name)) await execute(statement)
  const db = openKysely(engine, url)
  return {
    database: db,
    start: ({ references }, options) =>
      explicitSaves(references, options, async (work) => {
        const trx = await db.startTransaction().execute()
        try {
          await work(writesIn(trx))
          await trx.commit().execute()
        } catch (error) {
          await trx.rollback().execute()
          throw error
        }
      }),
    async close() {
      await db.destroy()
      await close()
    },
  }
}

let savepoints = 0

function writesIn(trx: ControlledTransaction<Tables>): Writes {
  const valuesOf = ({ deletedAt, ...values }: Partial<OrmPost>) => ({
    ...values,
    ...(deletedAt === undefined ? {} : { deleted_at: String(deletedAt) }),
  })
  return {
    executor: kyselyExecutor(trx),
    async insertPost(values) {
      const row = { title: '', body: null, summary: null, deleted_at: null, ...valuesOf(values) }
      const insert = trx.insertInto('post').values(row)
      if (trx.getExecutor().adapter.supportsReturning)
        return (await insert.returning('id').executeTakeFirstOrThrow()).id
      return Number((await insert.executeTakeFirstOrThrow()).insertId)
    },
    updatePost: async (id, values) =>
      void (await trx.updateTable('post').set(valuesOf(values)).where('id', '=', id).execute()),
    deletePost: async (id) => void (await trx.deleteFrom('post').where('id', '=', id).execute()),
    findPosts: (where) =>
      trx
        .selectFrom('post')
        .selectAll()
        .where((eb) => eb.and(where))
        .execute(),
    insertNote: async ({ postId, ...note }) =>
      void (await trx
        .insertInto('note')
        .values({ post_id: postId, ...note })
        .execute()),
    async updateNote({ postId, language }, values) {
      const key = { post_id: postId, language }
      await trx
        .updateTable('note')
        .set(values)
        .where((eb) => eb.and(key))
        .execute()
    },
    async deleteNote({ postId, language }) {
      const key = { post_id: postId, language }
      await trx
        .deleteFrom('note')
        .where((eb) => eb.and(key))
        .execute()
    },
    async nested(work) {
      // On MariaDB, a new savepoint replaces an existing savepoint of the same name.
      const name = `nested_${++savepoints}`
      const inner = await trx.savepoint(name).execute()
      try {
        await work(writesIn(inner))
        await inner.releaseSavepoint(name).execute()
      } catch (error) {
        await inner.rollbackToSavepoint(name).execute()
        throw error
      }
    },
  }
}

describe('Kysely', () => {
  describeDatabases((engine) => {
    ormSuite(() => openFixture(engine))

    sqlExecutorSuite(async () => {
      const { url, close } = await engine.open()
      const db = openKysely(engine, url)
      return {
        transaction: (work) => db.transaction().execute((trx) => work(kyselyExecutor(trx))),
        async close() {
          await db.destroy()
          await close()
        },
      }
    })
  })
})
