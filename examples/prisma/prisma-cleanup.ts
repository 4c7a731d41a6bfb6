import { PrismaPg } from '@prisma/adapter-pg'
import { createMarkdownEditor, localFiles, type RecordEntry } from '@quillgate/markdown-editor'
import { prismaExecutor } from '@quillgate/markdown-editor/orm/prisma'
import { createQuillgate } from '@quillgate/server'
import { currentUser, secret, type User } from '../application.ts'
import { PrismaClient } from './generated/app/client.ts'

const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/app'
export const prisma = new PrismaClient({ adapter: new PrismaPg(url) })

export const gate = createQuillgate({ secret, database: url })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})

/** Yields all posts for `markdown-editor reindex`. */
export async function* records(): AsyncGenerator<RecordEntry> {
  for (const { id, body } of await prisma.post.findMany())
    yield { type: 'post', id, texts: { body } }
}

export async function createPost(
  title: string,
  body: string,
  actor: User,
): Promise<{ id: number }> {
  return prisma.$transaction(async (tx) => {
    const post = await tx.post.create({ data: { title, body } })
    const record = { type: 'post', id: post.id }
    await editor.references.set(record, { body }, { tx: prismaExecutor(tx, 'postgres'), actor })
    return post
  })
}

export async function savePost(id: number, body: string, actor: User): Promise<void> {
  const { removed } = await prisma.$transaction(async (tx) => {
    await tx.post.update({ where: { id }, data: { body } })
    const executor = prismaExecutor(tx, 'postgres')
    return editor.references.set({ type: 'post', id }, { body }, { tx: executor, actor })
  })
  await editor.references.settle(removed, { actor })
}

export async function deletePost(id: number, actor: User): Promise<void> {
  const { removed } = await prisma.$transaction(async (tx) => {
    await tx.post.delete({ where: { id } })
    const executor = prismaExecutor(tx, 'postgres')
    return editor.references.remove({ type: 'post', id }, { tx: executor, actor })
  })
  await editor.references.settle(removed, { actor })
}
