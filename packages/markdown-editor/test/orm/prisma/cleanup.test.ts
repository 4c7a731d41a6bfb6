import { prismaCleanup } from '@quillgate/markdown-editor/orm/prisma'
import type { TestEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PrismaClient } from '../../../../../examples/prisma/contract/open-client.ts'
import { openEditor, type TestEditor } from '../../editor-fixture.ts'
import { describePrisma } from './describe-prisma.ts'
import type * as Fixture from './open-prisma.ts'

describePrisma(() => import('./open-prisma.ts'), clientTests)

const REFUSED = { code: 'expression_not_tracked' }

function clientTests(engine: TestEngine, { MODELS, openPrisma }: typeof Fixture): void {
  let plain: PrismaClient
  let db: PrismaClient
  let opened: TestEditor
  let close: () => Promise<void>
  beforeEach(async () => {
    const own = await openPrisma(engine)
    plain = own.client
    const text = engine.name === 'mariadb' ? 'mediumtext' : 'text'
    const id = {
      sqlite: 'integer PRIMARY KEY',
      postgres: 'serial PRIMARY KEY',
      mariadb: 'integer AUTO_INCREMENT PRIMARY KEY',
    }
    await plain.$executeRawUnsafe(`CREATE TABLE forum (id ${id[engine.name]})`)
    await plain.$executeRawUnsafe(
      `CREATE TABLE thread (id ${id[engine.name]}, title varchar(80) NOT NULL, forum_id integer)`,
    )
    await plain.$executeRawUnsafe(
      `CREATE TABLE reply (id varchar(36) PRIMARY KEY, text ${text} NOT NULL, thread_id integer)`,
    )
    opened = await openEditor({}, { database: own.editorDatabase })
    db = prismaCleanup(opened.editor, plain, { ...MODELS, reply: { fields: null } })
    close = async () => {
      await opened.close()
      await own.close()
    }
  })
  afterEach(() => close())

  const addMedium = async () => {
    const { id, url } = await opened.addPermanent()
    return { id, link: `![a](${url})` }
  }
  const stateOf = async ({ id }: { id: string }) => (await opened.editor.media.get(id))?.state
  const isReferenced = async ({ id }: { id: string }) =>
    (await opened.editor.media.get(id))?.referencedAt !== null

  describe('writes of many records', () => {
    it('createMany holds what each record mentions', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      const data = [
        { title: '1', body: a.link },
        { title: '2', body: b.link },
      ]
      expect(await db.post.createMany({ data })).toEqual({ count: 2 })
      expect([await isReferenced(a), await isReferenced(b)]).toEqual([true, true])
      expect(await db.post.deleteMany({ where: { title: '1' } })).toEqual({ count: 1 })
      expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    })

    it('records that are there already are left out, with their media', async () => {
      if (engine.name === 'sqlite') return // Prisma has no skipDuplicates there.
      const [a, b] = [await addMedium(), await addMedium()]
      await db.reply.create({ data: { id: 'r', text: a.link } })
      const data = [
        { id: 'r', text: b.link },
        { id: 's', text: b.link },
      ]
      expect(await db.reply.createMany({ data, skipDuplicates: true })).toEqual({ count: 1 })
      await db.reply.delete({ where: { id: 's' } })
      expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
    })

    it('records that meet another unique field are left out, within a transaction too', async () => {
      if (engine.name !== 'postgres') return // SQLite has no skipDuplicates; MariaDB needs the keys.
      const [a, b] = [await addMedium(), await addMedium()]
      await db.post.create({ data: { title: '1', body: a.link } })
      const data = [
        { title: '1', body: b.link },
        { title: '2', body: '' },
      ]
      expect(
        await db.$transaction((tx) => tx.post.createMany({ data, skipDuplicates: true })),
      ).toEqual({ count: 1 })
      expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
    })

    it('records come back as they were asked for', async () => {
      if (engine.name === 'mariadb') return // Prisma returns no records there.
      const a = await addMedium()
      const data = [{ title: '1', body: a.link }]
      expect(await db.post.createManyAndReturn({ data, select: { title: true } })).toEqual([
        { title: '1' },
      ])
      const written = { where: { title: '1' }, data: { body: 'x' } }
      expect(
        await db.post.updateManyAndReturn({ ...written, omit: { id: true, title: true } }),
      ).toEqual([{ topic: '', body: 'x', summary: null, deletedAt: null }])
      expect(await stateOf(a)).toBe('deleted')
    })

    it('a limit holds', async () => {
      const a = await addMedium()
      for (const title of ['1', '2', '3']) await db.post.create({ data: { title, body: a.link } })
      expect(await db.post.updateMany({ data: { body: '' }, limit: 2 })).toEqual({ count: 2 })
      expect(await db.post.deleteMany({ limit: 0 })).toEqual({ count: 0 })
      expect(await stateOf(a)).toBe('permanent')
      expect(await db.post.deleteMany({ limit: 3 })).toEqual({ count: 3 })
      expect(await stateOf(a)).toBe('deleted')
    })

    it('are done in parts where they are very many', async () => {
      if (engine.name !== 'sqlite') return // The same for all, and slow.
      const a = await addMedium()
      await plain.reply.createMany({
        data: Array.from({ length: 503 }, (_, n) => ({ id: `${n}`, text: 'x' })),
      })
      expect(await db.reply.updateMany({ data: { text: a.link } })).toEqual({ count: 503 })
      expect(await db.reply.deleteMany({ where: { id: { not: '502' } } })).toEqual({ count: 502 })
      expect(await stateOf(a)).toBe('permanent')
      expect(await db.reply.deleteMany()).toEqual({ count: 1 })
      expect(await stateOf(a)).toBe('deleted')
    })
  })

  describe('results', () => {
    it('have what select, omit and include ask for, and no more', async () => {
      const thread = await db.thread.create({ data: { title: 't' } })
      const reply = await db.reply.create({
        data: { text: 'x', threadId: thread.id },
        select: { text: true, thread: { select: { title: true } } },
      })
      expect(reply).toEqual({ text: 'x', thread: { title: 't' } })
      const { id } = await db.reply.findFirstOrThrow()
      const update = { where: { id }, data: { text: 'y' } }
      expect(await db.reply.update({ ...update, omit: { id: true } })).toEqual({
        text: 'y',
        threadId: thread.id,
      })
      expect(await db.reply.update({ ...update, include: { thread: true } })).toEqual({
        ...{ id, text: 'y', threadId: thread.id },
        thread,
      })
    })

    it('of reads are those of Prisma, relations by name too', async () => {
      const thread = await db.thread.create({ data: { title: 't' } })
      const { id } = await db.reply.create({ data: { text: 'x', threadId: thread.id } })
      expect(await db.reply.findUnique({ where: { id } }).thread()).toEqual(thread)
      expect(await db.reply.count()).toBe(1)
    })

    it('of a failed write are the error of Prisma', async () => {
      await expect(db.post.update({ where: { id: 7 }, data: { body: 'x' } })).rejects.toMatchObject(
        { code: 'P2025' },
      )
    })
  })

  describe('$transaction', () => {
    it('takes a list of operations', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      const { id } = await db.post.create({ data: { title: '1', body: a.link } })
      const [created, count, read] = await db.$transaction([
        db.post.create({ data: { title: '2', body: b.link }, select: { title: true } }),
        db.post.count(),
        db.$queryRaw<{ title: string }[]>`SELECT title FROM post WHERE id = ${id}`,
        db.post.delete({ where: { id } }),
      ])
      expect([created, count, read]).toEqual([{ title: '2' }, 2, [{ title: '1' }]])
      expect([await stateOf(a), await isReferenced(b)]).toEqual(['deleted', true])
    })

    it('changes nothing when one of the list fails', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      const { id } = await db.post.create({ data: { title: '1', body: a.link } })
      const operations = [
        db.post.update({ where: { id }, data: { body: b.link } }),
        db.post.create({ data: { title: '1' } }),
      ]
      await expect(db.$transaction(operations)).rejects.toMatchObject({ code: 'P2002' })
      expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
      expect(await db.post.findMany({ select: { body: true } })).toEqual([{ body: a.link }])
    })

    it('begins nothing that nobody waits for', async () => {
      void db.post.create({ data: { title: '1' } })
      expect(await db.post.count()).toBe(0)
    })

    it('refuses a list with what it cannot do inside', async () => {
      const operations = [
        db.post.create({ data: { title: '1' } }),
        db.reply.findUnique({ where: { id: '1' } }).thread(),
      ]
      await expect(db.$transaction(operations)).rejects.toMatchObject({
        code: 'transaction_misuse',
      })
      await expect(async () =>
        plain.$transaction([db.post.create({ data: { title: '1' } })]),
      ).rejects.toMatchObject({
        code: 'transaction_misuse',
      })
      expect(await db.post.count()).toBe(0)
    })

    it('keeps writes that run at the same time apart, and waits for those that nobody waits for', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      await db.$transaction(async (tx) => {
        await Promise.all([
          tx.post.create({ data: { title: '1', body: a.link } }),
          tx.post.create({ data: { title: '2', body: a.link } }),
        ])
        tx.post.create({ data: { title: '3', body: b.link } }).then(
          () => {},
          () => {},
        )
      })
      expect([await isReferenced(a), await isReferenced(b), await db.post.count()]).toEqual([
        true,
        true,
        3,
      ])
    })

    it('that takes too long changes nothing', async () => {
      const a = await addMedium()
      const { id } = await db.post.create({ data: { title: '1', body: a.link } })
      const slow = db.$transaction(
        async (tx) => {
          await tx.post.update({ where: { id }, data: { body: '' } })
          await new Promise((resolve) => setTimeout(resolve, 2500))
          await tx.post.count()
        },
        { timeout: 2000 },
      )
      await expect(slow).rejects.toMatchObject({ code: 'P2028' })
      expect([await stateOf(a), (await db.post.findFirst())?.body]).toEqual(['permanent', a.link])
    })
  })

  describe('records of relations', () => {
    it('that are written with another record are followed', async () => {
      const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
      const replies = { create: [{ id: 'a', text: a.link }, { text: b.link }] }
      const thread = await db.thread.create({
        data: { title: 't', replies },
        select: { title: true },
      })
      expect(thread).toEqual({ title: 't' })
      expect([await isReferenced(a), await isReferenced(b)]).toEqual([true, true])
      const { id } = await db.thread.findFirstOrThrow()
      const write = (writes: object) =>
        db.thread.update({ where: { id }, data: { replies: writes } })
      await write({ update: { where: { id: 'a' }, data: { text: c.link } } })
      expect([await stateOf(a), await stateOf(b), await isReferenced(c)]).toEqual([
        'deleted',
        'permanent',
        true,
      ])
      await write({ upsert: { where: { id: 'c' }, create: { id: 'c', text: c.link }, update: {} } })
      await write({ delete: { id: 'a' } })
      expect([await stateOf(b), await stateOf(c)]).toEqual(['permanent', 'permanent'])
      await write({ updateMany: { where: { id: 'c' }, data: { text: 'x' } } })
      expect([await stateOf(b), await stateOf(c)]).toEqual(['permanent', 'deleted'])
      await write({ deleteMany: {} })
      expect([await stateOf(b), await db.reply.count()]).toEqual(['deleted', 0])
    })

    it('are followed however deep they are, and however they come to be', async () => {
      const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
      const replies = { createMany: { data: [{ text: a.link }, { text: b.link }] } }
      const { id } = await db.forum.create({
        data: { threads: { create: [{ title: 't', replies }, { title: 'u' }] } },
      })
      const connectOrCreate = { where: { id: 'c' }, create: { id: 'c', text: c.link } }
      const second = { where: { id: 2 }, data: { replies: { connectOrCreate } } }
      await db.forum.update({ where: { id }, data: { threads: { update: second } } })
      expect([await isReferenced(a), await isReferenced(b), await isReferenced(c)]).toEqual([
        true,
        true,
        true,
      ])
      const first = { where: { id: 1 }, data: { replies: { deleteMany: { text: a.link } } } }
      await db.forum.upsert({ where: { id }, create: {}, update: { threads: { update: first } } })
      expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual([
        'deleted',
        'permanent',
        'permanent',
      ])
    })

    it('go back with a rollback', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      const { id } = await db.thread.create({
        data: { title: 't', replies: { create: { text: a.link } } },
      })
      const operations = [
        db.thread.update({
          where: { id },
          data: { replies: { deleteMany: {}, create: { text: b.link } } },
        }),
        db.post.update({ where: { id: 7 }, data: { body: 'x' } }),
      ]
      await expect(db.$transaction(operations)).rejects.toMatchObject({ code: 'P2025' })
      expect([await stateOf(a), await isReferenced(b), await db.reply.count()]).toEqual([
        'permanent',
        false,
        1,
      ])
    })
  })

  describe('what cannot be seen', () => {
    it('is refused: records of a relation that are written and unlinked at once, and changes of their keys', async () => {
      const { id } = await db.thread.create({
        data: { title: 't', replies: { create: { id: 'r', text: 'x' } } },
      })
      const writes = [
        { create: { text: 'x' }, set: [] },
        { create: { text: 'x' }, disconnect: { id: 'r' } },
        { update: { where: { id: 'r' }, data: { id: 's' } } },
        { updateMany: { where: {}, data: { id: 's' } } },
        { upsert: { where: { id: 'r' }, create: { text: '' }, update: { id: 's' } } },
      ]
      for (const replies of writes) {
        await expect(db.thread.update({ where: { id }, data: { replies } })).rejects.toMatchObject(
          REFUSED,
        )
      }
      expect(await db.reply.findMany({ select: { id: true } })).toEqual([{ id: 'r' }])
    })

    it('is not: records that are only linked, and models without markdown', async () => {
      const a = await addMedium()
      const { id } = await db.reply.create({
        data: { text: a.link, thread: { create: { title: 't' } } },
      })
      const { threadId } = await db.reply.findUniqueOrThrow({ where: { id } })
      const where = { id: threadId ?? 0 }
      await db.thread.update({ where, data: { replies: { disconnect: { id } } } })
      await db.thread.update({ where, data: { replies: { connect: { id } } } })
      await db.thread.update({ where, data: { replies: { set: [] } } })
      expect(await stateOf(a)).toBe('permanent')
    })

    it('is refused: a change of a key', async () => {
      const { id } = await db.reply.create({ data: { text: '' } })
      const changes = [
        db.reply.update({ where: { id }, data: { id: 'new' } }),
        db.reply.updateMany({ where: { id }, data: { id: 'new' } }),
        db.reply.upsert({ where: { id }, create: { text: '' }, update: { id: 'new' } }),
      ]
      for (const change of changes) await expect(change).rejects.toMatchObject(REFUSED)
    })

    it('is not: a key that is written again', async () => {
      const a = await addMedium()
      const { id } = await db.reply.create({ data: { text: a.link } })
      await db.reply.update({ where: { id }, data: { id, text: '' } })
      expect(await stateOf(a)).toBe('deleted')
      const key = { postId: 1, language: 'en' }
      await db.note.create({ data: { ...key, text: '' } })
      await db.note.update({ where: { postId_language: key }, data: { ...key, text: 'x' } })
      const other = db.note.update({ where: { postId_language: key }, data: { ...key, postId: 2 } })
      await expect(other).rejects.toMatchObject(REFUSED)
    })
  })

  describe('$extends', () => {
    it('makes a client that is followed too', async () => {
      const [a, b] = [await addMedium(), await addMedium()]
      const extended = db.$extends({
        model: {
          post: {
            async clear(title: string) {
              await extended.post.updateMany({ where: { title }, data: { body: '' } })
            },
          },
        },
        query: {
          post: {
            create: ({ args, query }) =>
              query({ ...args, data: { ...args.data, summary: b.link } }),
          },
        },
        result: { post: { body: { needs: { body: true }, compute: () => 'hidden' } } },
      })
      expect((await extended.post.create({ data: { title: 't', body: a.link } })).body).toBe(
        'hidden',
      )
      expect([await isReferenced(a), await isReferenced(b)]).toEqual([true, true])
      await extended.post.clear('t')
      expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    })

    it('may make an update of a delete: the media stay', async () => {
      const a = await addMedium()
      const soft = db.$extends({
        query: {
          post: {
            findMany: ({ args, query }) =>
              query({ ...args, where: { ...args.where, deletedAt: null } }),
            deleteMany: ({ args }) =>
              plain.post.updateMany({ ...args, data: { deletedAt: 'now' } } as never),
          },
        },
      })
      if (engine.name === 'sqlite') return // The extension leaves the transaction, which holds the only connection.
      await soft.post.create({ data: { title: 't', body: a.link } })
      await soft.post.deleteMany({ where: { title: 't' } })
      expect([await soft.post.count(), await stateOf(a)]).toEqual([1, 'permanent'])
    })
  })

  it('refuses what is no such client, model or field', () => {
    const { editor } = opened
    const make = (client: object, models: object) => () =>
      prismaCleanup(editor, client as PrismaClient, models)
    expect(make({}, { post: { fields: ['body'] } })).toThrow('client')
    expect(make(plain, {})).toThrow('models')
    expect(make(plain, { poem: { fields: ['body'] } })).toThrow('poem')
    expect(make(plain, { note: { fields: ['text'] } })).toThrow('models.note.key')
    expect(make(plain, { post: { fields: ['text'] } })).toThrow('models.post.fields')
    expect(make(plain, { post: { fields: [] } })).toThrow('models.post.fields')
    expect(make(plain, { reply: { fields: ['thread'] } })).toThrow('models.reply.fields')
  })
}
