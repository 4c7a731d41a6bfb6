import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { kyselyCleanup, kyselyRecords } from '@quillgate/markdown-editor/orm/kysely'
import BetterSqlite from 'better-sqlite3'
import { type Generated, Kysely, SqliteDialect } from 'kysely'
import { currentUser, secret } from './application.ts'

interface Tables {
  post: { id: Generated<number>; title: string; body: string }
}
const plain = new Kysely<Tables>({
  dialect: new SqliteDialect({ database: new BetterSqlite('./data/app.sqlite') }),
})
const tables = { post: { key: 'id', fields: ['body'] } } as const

export const editor = createMarkdownEditor({
  secret,
  database: plain,
  storage: localFiles('./data/media'),
  authenticate: (context) => currentUser(context.native),
  records: { all: () => kyselyRecords(plain, tables) }, // for `markdown-editor reindex`
})
export const db = kyselyCleanup(editor, plain, tables) // write through this one

export const savePost = (title: string, body: string) =>
  db.insertInto('post').values({ title, body }).returning('id').executeTakeFirstOrThrow()
export const movePictures = (from: number, to: number, body: string) =>
  db.transaction().execute(async (trx) => {
    await trx.updateTable('post').set({ body: '' }).where('id', '=', from).execute()
    await trx.updateTable('post').set({ body }).where('id', '=', to).execute()
  })
export const deletePosts = (title: string) =>
  db.deleteFrom('post').where('title', '=', title).execute()
