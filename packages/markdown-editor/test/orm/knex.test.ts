import { knexExecutor } from '@quillgate/markdown-editor/orm/knex'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import createKnex, { type Knex } from 'knex'
import { describe } from 'vitest'
import { betterSqlite, pathOf } from './better-sqlite.ts'
import { explicitSaves, type Writes } from './explicit-saves.ts'
import { type OrmFixture, type OrmPost, ormTables } from './suite/orm-fixture.ts'
import { ormSuite } from './suite/orm-suite.ts'

const CLIENTS = { sqlite: 'better-sqlite3', postgres: 'pg', mariadb: 'mysql2' } as const

function openKnex({ name }: TestEngine, url: string): Knex {
  const connection = name === 'sqlite' ? { filename: pathOf(url) } : url
  return createKnex({ client: CLIENTS[name], connection, useNullAsDefault: true })
}

async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { url, close } = await engine.open()
  const knex = openKnex(engine, url)
  for (const statement of ormTables(engine.name)) await knex.raw(statement)
  const own = engine.name === 'sqlite' ? betterSqlite(url) : null
  return {
    database: own ?? url,
    start: ({ references }, options) =>
      explicitSaves(references, options, (work) => knex.transaction((trx) => work(writesIn(trx)))),
    async close() {
      await knex.destroy()
      await own?.destroy()
      await close()
    },
  }
}

function writesIn(trx: Knex.Transaction): Writes {
  const rowOf = ({ deletedAt, ...values }: Partial<OrmPost>) => ({
    ...values,
    ...(deletedAt === undefined ? {} : { deleted_at: deletedAt }),
  })
  return {
    executor: knexExecutor(trx),
    async insertPost(values) {
      const [row] = await trx('post').insert(rowOf(values), ['id'])
      return typeof row === 'number' ? row : row.id
    },
    updatePost: async (id, values) => void (await trx('post').where({ id }).update(rowOf(values))),
    deletePost: async (id) => void (await trx('post').where({ id }).delete()),
    findPosts: (where) => trx('post').where(where).select(),
    insertNote: async ({ postId, ...note }) =>
      void (await trx('note').insert({ post_id: postId, ...note })),
    updateNote: async ({ postId, language }, values) =>
      void (await trx('note').where({ post_id: postId, language }).update(values)),
    deleteNote: async ({ postId, language }) =>
      void (await trx('note').where({ post_id: postId, language }).delete()),
    nested: (work) => trx.transaction((inner) => work(writesIn(inner))),
  }
}

describe('Knex', () => {
  describeDatabases((engine) => {
    // Knex has one connection to SQLite, so saves cannot run concurrently.
    ormSuite(() => openFixture(engine), { isConcurrent: engine.name !== 'sqlite' })

    sqlExecutorSuite(async () => {
      const { url, close } = await engine.open()
      const knex = openKnex(engine, url)
      return {
        transaction: (work) => knex.transaction((trx) => work(knexExecutor(trx))),
        async close() {
          await knex.destroy()
          await close()
        },
      }
    })
  })
})
