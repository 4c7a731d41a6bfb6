import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { drizzleCleanup, drizzleRecords } from '@quillgate/markdown-editor/orm/drizzle'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { Pool } from 'pg'
import { currentUser, secret } from './application.ts'

const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/app'
const post = pgTable('post', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  title: text().notNull(),
  body: text().notNull(),
})
const tables = [{ table: post, fields: ['body'] }] // null: every text column
export const pool = new Pool({ connectionString: url })
const db = drizzle(pool)

export const editor = createMarkdownEditor({
  secret,
  database: url,
  storage: localFiles('./data/media'),
  authenticate: (context) => currentUser(context.native),
  records: { all: () => drizzleRecords(db, tables) }, // for `markdown-editor reindex`
})
const saves = drizzleCleanup(editor, db, tables)

export const savePost = async (title: string, body: string) =>
  (await saves.insert(post, { title, body }))[0]
export const movePictures = (from: number, to: number, body: string) =>
  saves.transaction(async (own) => {
    await own.update(post, { body: '' }, eq(post.id, from))
    await own.update(post, { body }, eq(post.id, to))
  })
export const deletePosts = (title: string) => saves.delete(post, eq(post.title, title))
