import { prismaExecutor } from '@quillgate/markdown-editor/orm/prisma'
import type { TestEngine } from '@quillgate/server/testing'
import {
  openClient,
  type Prisma,
  type PrismaClient,
} from '../../../../../examples/prisma/contract/open-client.ts'
import { betterSqlite } from '../better-sqlite.ts'
import { explicitSaves, type Writes } from '../explicit-saves.ts'
import { type OrmFixture, ormTables } from '../suite/orm-fixture.ts'

export async function openPrisma(
  engine: TestEngine,
): Promise<{ client: PrismaClient; url: string; close(): Promise<void> }> {
  const { url, close } = await engine.open()
  // Prisma ignores the search path, which contains the schema of the test.
  const client = openClient(url, /search_path%3D(\w+)/.exec(url)?.[1])
  return {
    client,
    url,
    async close() {
      await client.$disconnect()
      await close()
    },
  }
}

export async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { client, url, close } = await openPrisma(engine)
  for (const statement of ormTables(engine.name)) await client.$executeRawUnsafe(statement)
  const own = engine.name === 'sqlite' ? betterSqlite(url) : null
  return {
    database: own ?? url,
    start: ({ references }, options) =>
      explicitSaves(references, options, (work) =>
        client.$transaction((tx) => work(writesIn(engine, tx))),
      ),
    async close() {
      await own?.destroy()
      await close()
    },
  }
}

function writesIn(engine: TestEngine, tx: Prisma.TransactionClient): Writes {
  return {
    executor: prismaExecutor(tx, engine.name),
    insertPost: async ({ title = '', deletedAt: _, ...values }) =>
      (await tx.post.create({ data: { title, ...values } })).id,
    updatePost: async (id, { deletedAt, ...values }) => {
      const data = deletedAt === undefined ? values : { ...values, deletedAt: String(deletedAt) }
      await tx.post.update({ where: { id }, data })
    },
    deletePost: async (id) => void (await tx.post.delete({ where: { id } })),
    findPosts: (where) => tx.post.findMany({ where }),
    insertNote: async (data) => void (await tx.note.create({ data })),
    updateNote: async (key, data) =>
      void (await tx.note.update({ where: { postId_language: key }, data })),
    deleteNote: async (key) => void (await tx.note.delete({ where: { postId_language: key } })),
    async nested(work) {
      // Prisma has no nested transactions.
      await tx.$executeRawUnsafe('SAVEPOINT nested')
      try {
        await work(writesIn(engine, tx))
        await tx.$executeRawUnsafe('RELEASE SAVEPOINT nested')
      } catch (error) {
        await tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT nested')
        throw error
      }
    },
  }
}
