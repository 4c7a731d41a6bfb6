import { createMarkdownEditor, localFiles, type RecordEntry } from '@quillgate/markdown-editor'
import { drizzleExecutor } from '@quillgate/markdown-editor/orm/drizzle'
import { createQuillgate } from '@quillgate/server'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { Pool } from 'pg'
import { currentUser, secret, type User } from './application.ts'

const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/app'
const posts = pgTable('post', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  title: text().notNull(),
  body: text().notNull(),
})
export const pool = new Pool({ connectionString: url })
const db = drizzle(pool)

export const gate = createQuillgate({ secret, database: url })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})

/** Yields all posts for `markdown-editor reindex`. */
export async function* records(): AsyncGenerator<RecordEntry> {
  for (const { id, body } of await db.select().from(posts))
    yield { type: 'post', id, texts: { body } }
}

export async function createPost(
  title: string,
  body: string,
  actor: User,
): Promise<{ id: number }> {
  return db.transaction(async (tx) => {
    const [post] = await tx.insert(posts).values({ title, body }).returning()
    if (!post) throw new Error('PostgreSQL returned no row')
    const record = { type: 'post', id: post.id }
    await editor.references.set(record, { body }, { tx: drizzleExecutor(tx), actor })
    return post
  })
}

export async function savePost(id: number, body: string, actor: User): Promise<void> {
  const { removed } = await db.transaction(async (tx) => {
    await tx.update(posts).set({ body }).where(eq(posts.id, id))
    return editor.references.set({ type: 'post', id }, { body }, { tx: drizzleExecutor(tx), actor })
  })
  await editor.references.settle(removed, { actor })
}

export async function deletePost(id: number, actor: User): Promise<void> {
  const { removed } = await db.transaction(async (tx) => {
    await tx.delete(posts).where(eq(posts.id, id))
    return editor.references.remove({ type: 'post', id }, { tx: drizzleExecutor(tx), actor })
  })
  await editor.references.settle(removed, { actor })
}
