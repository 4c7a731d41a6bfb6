import { type EntityManager, EntitySchema, type MikroORM } from '@mikro-orm/core'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import { mikroOrmCleanup, mikroOrmExecutor } from '@quillgate/markdown-editor/orm/mikro-orm'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import { describe } from 'vitest'
import { betterSqlite, pathOf } from './better-sqlite.ts'
import { type OrmFixture, type OrmSaves, ormTables } from './suite/orm-fixture.ts'
import { ormSuite } from './suite/orm-suite.ts'

class Post {
  static markdownCleanupFields = ['body', 'summary']
  declare id: number
  declare title: string
  declare topic: string
  declare body: string | null
  declare summary: string | null
  declare deletedAt: string | null
}

class Note {
  static markdownCleanupFields = null
  declare postId: number
  declare language: string
  declare text: string
  declare remark: string
}

const entities = [
  new EntitySchema<Post>({
    class: Post,
    tableName: 'post',
    properties: {
      id: { type: 'integer', primary: true, autoincrement: true },
      title: { type: 'string' },
      topic: { type: 'string', default: '' },
      body: { type: 'text', nullable: true },
      summary: { type: 'text', nullable: true },
      deletedAt: { type: 'string', nullable: true, fieldName: 'deleted_at' },
    },
  }),
  new EntitySchema<Note>({
    class: Note,
    tableName: 'note',
    properties: {
      postId: { type: 'integer', primary: true, fieldName: 'post_id' },
      language: { type: 'string', primary: true },
      text: { type: 'text' },
      remark: { type: 'string', default: '' },
    },
  }),
]

async function openOrm({ name }: TestEngine, url: string): Promise<MikroORM> {
  if (name === 'sqlite') return SqliteOrm.init({ entities, dbName: pathOf(url) })
  const { pathname } = new URL(url)
  const driverOptions = { connectionString: url }
  return PostgresOrm.init({ entities, dbName: pathname.slice(1), driverOptions })
}

async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { url, database, close } = await engine.open()
  const { execute } = database.executor(database.kysely)
  for (const statement of ormTables(engine.name)) await execute(statement)
  const orm = await openOrm(engine, url)
  const own = engine.name === 'sqlite' ? betterSqlite(url) : null
  return {
    database: own ?? url,
    start(editor, options) {
      mikroOrmCleanup(editor, orm, options)
      return savesOf(() => orm.em.fork())
    },
    async close() {
      await orm.close()
      await own?.destroy()
      await close()
    },
  }
}

/** @param open returns the entity manager of a request or transaction */
function savesOf(open: () => EntityManager): OrmSaves {
  const change = async (id: number, work: (post: Post) => void): Promise<void> => {
    const em = open()
    work(await em.findOneOrFail(Post, { id }))
    await em.flush()
  }
  return {
    async insertPost(values) {
      const em = open()
      const post = em.create(Post, { topic: '', ...values } as Post)
      await em.persist(post).flush()
      return post.id
    },
    updatePost: (id, values) => change(id, (post) => void Object.assign(post, values)),
    async updateTopic(topic, values) {
      const em = open()
      for (const post of await em.find(Post, { topic })) Object.assign(post, values)
      await em.flush()
    },
    upsertPost: async (values) =>
      void (await open().upsert(Post, values as Post, { onConflictFields: ['title'] })),
    async retitlePost(id, title) {
      const em = open()
      const post = await em.findOneOrFail(Post, { id }, { fields: ['id', 'title'] })
      Object.assign(post, { title })
      await em.flush()
    },
    softDeletePost: (id) => change(id, (post) => void Object.assign(post, { deletedAt: 'now' })),
    async deletePost(id) {
      const em = open()
      await em.remove(await em.findOneOrFail(Post, { id })).flush()
    },
    async deleteTopic(topic) {
      const em = open()
      for (const post of await em.find(Post, { topic })) em.remove(post)
      await em.flush()
    },
    findPost: (id) => open().findOne(Post, { id }, { refresh: true }),
    async insertNote(values) {
      const em = open()
      await em.persist(em.create(Note, values as Note)).flush()
    },
    async updateNote(key, values) {
      const em = open()
      Object.assign(await em.findOneOrFail(Note, key), values)
      await em.flush()
    },
    async deleteNote(key) {
      const em = open()
      await em.remove(await em.findOneOrFail(Note, key)).flush()
    },
    transaction: (work) => open().transactional((em) => work(savesOf(() => em)), { clear: true }),
  }
}

describe('MikroORM', () => {
  describeDatabases(
    (engine) => {
      // MikroORM has one connection to SQLite, so saves cannot run concurrently.
      ormSuite(() => openFixture(engine), {
        isConcurrent: engine.name !== 'sqlite',
        refuses: ['upsert'],
      })

      sqlExecutorSuite(async () => {
        const { url, close } = await engine.open()
        const orm = await openOrm(engine, url)
        return {
          transaction: (work) => orm.em.fork().transactional((em) => work(mikroOrmExecutor(em))),
          async close() {
            await orm.close()
            await close()
          },
        }
      })
    },
    ['sqlite', 'postgres'],
  )
})
