import { sequelizeCleanup, sequelizeExecutor } from '@quillgate/markdown-editor/orm/sequelize'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import * as pg from 'pg'
import { DataTypes, Model, type ModelStatic, Sequelize, type Transaction } from 'sequelize'
import { describe } from 'vitest'
import { betterSqlite, pathOf } from './better-sqlite.ts'
import * as sqlite3 from './sqlite3.ts'
import { type OrmFixture, type OrmSaves, ormTables } from './suite/orm-fixture.ts'
import { ormSuite } from './suite/orm-suite.ts'

function openSequelize({ name }: TestEngine, url: string) {
  const shared = { logging: false, define: { timestamps: false, freezeTableName: true } } as const
  const sequelize =
    name === 'sqlite'
      ? new Sequelize({
          ...shared,
          dialect: 'sqlite',
          storage: pathOf(url),
          dialectModule: sqlite3,
        })
      : new Sequelize({ ...shared, dialect: 'postgres', dialectModule: pg, ...fromUrl(url) })
  class Post extends Model {
    static markdownCleanupFields = ['body', 'summary']
  }
  Post.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      title: DataTypes.STRING(200),
      topic: { type: DataTypes.STRING(40), defaultValue: '' },
      body: DataTypes.TEXT,
      summary: DataTypes.TEXT,
      deletedAt: { type: DataTypes.DATE, field: 'deleted_at' },
    },
    {
      sequelize,
      modelName: 'post',
      timestamps: true,
      createdAt: false,
      updatedAt: false,
      paranoid: true,
    },
  )
  class Note extends Model {
    static markdownCleanupFields = null
  }
  Note.init(
    {
      postId: { type: DataTypes.INTEGER, primaryKey: true, field: 'post_id' },
      language: { type: DataTypes.STRING(8), primaryKey: true },
      text: DataTypes.TEXT,
      remark: { type: DataTypes.STRING(400), defaultValue: '' },
    },
    { sequelize, modelName: 'note' },
  )
  return { sequelize, Post, Note }
}

/** Converts a URL to options, because Sequelize ignores the search path in a URL. */
function fromUrl(url: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  return {
    host: hostname,
    port: Number(port || 5432),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    dialectOptions: { options: searchParams.get('options') ?? '' },
  }
}

async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { url, close } = await engine.open()
  const { sequelize, Post, Note } = openSequelize(engine, url)
  for (const statement of ormTables(engine.name)) await sequelize.query(statement)
  const own = engine.name === 'sqlite' ? betterSqlite(url) : null
  return {
    database: own ?? url,
    start(editor, options) {
      sequelizeCleanup(editor, sequelize, options)
      return savesOf(sequelize, Post, Note)
    },
    async close() {
      await sequelize.close()
      await own?.destroy()
      await close()
    },
  }
}

function savesOf(
  sequelize: Sequelize,
  Post: ModelStatic<Model>,
  Note: ModelStatic<Model>,
  transaction?: Transaction,
): OrmSaves {
  const options = transaction ? { transaction } : {}
  // The transaction commits the record together with its references.
  const inTransaction = <Result>(work: (own: { transaction: Transaction }) => Promise<Result>) =>
    transaction ? work({ transaction }) : sequelize.transaction((own) => work({ transaction: own }))
  return {
    insertPost: ({ deletedAt: _, ...values }) =>
      inTransaction(async (own) => (await Post.create({ ...values }, own)).get('id') as number),
    updatePost: (id, { deletedAt: _, ...values }) =>
      inTransaction(async (own) => {
        const post = await Post.findByPk(id, { ...own, rejectOnEmpty: true })
        await post.update(values, own)
      }),
    updateTopic: async (topic, { deletedAt: _, ...values }) =>
      void (await Post.update(values, { where: { topic }, ...options })),
    upsertPost: async (values) => void (await Post.upsert({ ...values }, options)),
    retitlePost: (id, title) =>
      inTransaction(async (own) => {
        const post = await Post.findByPk(id, {
          ...own,
          attributes: ['id', 'title'],
          rejectOnEmpty: true,
        })
        await post.update({ title }, own)
      }),
    softDeletePost: (id) =>
      inTransaction(async (own) =>
        (await Post.findByPk(id, { ...own, rejectOnEmpty: true })).destroy(own),
      ),
    deletePost: (id) =>
      inTransaction(async (own) => {
        const post = await Post.findByPk(id, { ...own, paranoid: false, rejectOnEmpty: true })
        await post.destroy({ ...own, force: true })
      }),
    deleteTopic: async (topic) =>
      void (await Post.destroy({ where: { topic }, force: true, ...options })),
    findPost: async (id) => (await Post.findByPk(id, options))?.get() ?? null,
    insertNote: (values) =>
      inTransaction(async (own) => void (await Note.create({ ...values }, own))),
    updateNote: (key, values) =>
      inTransaction(async (own) => {
        const note = await Note.findOne({ where: { ...key }, ...own, rejectOnEmpty: true })
        await note.update(values, own)
      }),
    deleteNote: (key) =>
      inTransaction(async (own) =>
        (await Note.findOne({ where: { ...key }, ...own, rejectOnEmpty: true })).destroy(own),
      ),
    transaction: (work) =>
      sequelize.transaction(options, (own) => work(savesOf(sequelize, Post, Note, own))),
  }
}

describe('Sequelize', () => {
  describeDatabases(
    (engine) => {
      ormSuite(() => openFixture(engine), {
        // On SQLite, Sequelize's transactions read before they write, so concurrent saves can fail.
        isConcurrent: engine.name !== 'sqlite',
        refuses: ['bulk', 'upsert'],
      })

      sqlExecutorSuite(async () => {
        const { url, close } = await engine.open()
        const { sequelize } = openSequelize(engine, url)
        return {
          transaction: (work) =>
            sequelize.transaction((transaction) => work(sequelizeExecutor(sequelize, transaction))),
          async close() {
            await sequelize.close()
            await close()
          },
        }
      })
    },
    ['sqlite', 'postgres'],
  )
})
