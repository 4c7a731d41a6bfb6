import { PrismaPg } from '@prisma/adapter-pg'
import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { prismaCleanup, prismaRecords } from '@quillgate/markdown-editor/orm/prisma'
import { currentUser, secret } from '../application.ts'
import { PrismaClient } from './generated/app/client.ts'

const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/app'
const client = new PrismaClient({ adapter: new PrismaPg(url) })
const models = { post: { key: 'id', fields: ['body'] } } as const // null: every String

export const editor = createMarkdownEditor({
  secret,
  database: url,
  storage: localFiles('./data/media'),
  authenticate: (context) => currentUser(context.native),
  records: { all: () => prismaRecords(client, models) }, // for `markdown-editor reindex`
})
export const prisma = prismaCleanup(editor, client, models) // write through this one

export const savePost = (title: string, body: string) =>
  prisma.post.create({ data: { title, body } })
export const movePictures = (from: number, to: number, body: string) =>
  prisma.$transaction(async (tx) => {
    await tx.post.update({ where: { id: from }, data: { body: '' } })
    await tx.post.update({ where: { id: to }, data: { body } })
  })
export const deletePosts = (title: string) => prisma.post.deleteMany({ where: { title } })
