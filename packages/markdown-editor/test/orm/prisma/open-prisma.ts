import { prismaCleanup, prismaRecords } from '@quillgate/markdown-editor/orm/prisma'
import {
  type OrmFixture,
  type OrmSaves,
  ormTables,
} from '@quillgate/markdown-editor/testing/suites'
import type { TestEngine } from '@quillgate/server/testing'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import {
  openClient,
  type Prisma,
  type PrismaClient,
} from '../../../../../examples/prisma/contract/open-client.ts'
import { pathOf } from '../better-sqlite.ts'

export const MODELS = {
  post: { fields: ['body', 'summary'] },
  note: { key: ['postId', 'language'], fields: null },
} as const

/** A client, and what the editor uses beside it. */
export interface OpenPrisma {
  readonly client: PrismaClient
  readonly editorDatabase: Kysely<unknown> | string
  close(): Promise<void>
}

/** Opens Prisma on the driver adapters that its documentation names, with the tables of the suite. */
export async function openPrisma(engine: TestEngine): Promise<OpenPrisma> {
  const { url, close } = await engine.open()
  // Prisma does not look at the search path, in which the test has its schema.
  const client = openClient(url, /search_path%3D(\w+)/.exec(url)?.[1])
  for (const statement of ormTables(engine.name)) await client.$executeRawUnsafe(statement)
  const own = engine.name === 'sqlite' ? new BetterSqlite(pathOf(url), { timeout: 5 }) : null
  const editorDatabase = own
    ? new Kysely<unknown>({ dialect: new SqliteDialect({ database: own }) })
    : url
  return {
    client,
    editorDatabase,
    async close() {
      await client.$disconnect()
      if (typeof editorDatabase !== 'string') await editorDatabase.destroy()
      await close()
    },
  }
}

/** Prisma and the editor on one database, each over its own connections. */
export async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { client, editorDatabase, close } = await openPrisma(engine)
  return {
    database: editorDatabase,
    start: (editor, options) => savesOf(prismaCleanup(editor, client, MODELS, options)),
    records: () => prismaRecords(client, MODELS),
    close,
  }
}

function savesOf(db: Prisma.TransactionClient): OrmSaves {
  return {
    insertPost: async ({ deletedAt: _, ...data }) =>
      (await db.post.create({ data, select: { id: true } })).id,
    updatePost: async (id, { deletedAt: _, ...data }) =>
      void (await db.post.update({ where: { id }, data })),
    updateTopic: async (topic, { deletedAt: _, ...data }) =>
      void (await db.post.updateMany({ where: { topic }, data })),
    async upsertPost({ title, body }) {
      await db.post.upsert({ where: { title }, create: { title, body }, update: { body } })
    },
    async retitlePost(id, title) {
      await db.post.findUniqueOrThrow({ where: { id }, select: { id: true, title: true } })
      await db.post.update({ where: { id }, data: { title }, select: { title: true } })
    },
    renumberPost: async (id, newId) =>
      void (await db.post.update({ where: { id }, data: { id: newId } })),
    softDeletePost: async (id) =>
      void (await db.post.update({ where: { id }, data: { deletedAt: 'now' } })),
    deletePost: async (id) => void (await db.post.delete({ where: { id } })),
    deleteTopic: async (topic) => void (await db.post.deleteMany({ where: { topic } })),
    findPost: (id) => db.post.findUnique({ where: { id } }),
    insertNote: async (data) => void (await db.note.create({ data })),
    updateNote: async (key, data) =>
      void (await db.note.update({ where: { postId_language: key }, data })),
    deleteNote: async (key) => void (await db.note.delete({ where: { postId_language: key } })),
    transaction: (work) => db.$transaction((tx) => work(savesOf(tx))),
  }
}
