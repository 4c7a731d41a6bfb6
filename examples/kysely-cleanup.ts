// Saves, changes and deletes posts together with the references to their media.

import { mkdirSync } from 'node:fs'
import {
  createMarkdownEditor,
  localFiles,
  type RecordEntry,
  renderAssets,
} from '@quillgate/markdown-editor'
import { kyselyExecutor } from '@quillgate/markdown-editor/orm/kysely'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import BetterSqlite from 'better-sqlite3'
import express from 'express'
import { type Generated, Kysely, SqliteDialect } from 'kysely'
import { currentUser, formPage, secret, type User } from './application.ts'

interface Tables {
  post: { id: Generated<number>; title: string; body: string }
}
mkdirSync('./data', { recursive: true })
export const db = new Kysely<Tables>({
  dialect: new SqliteDialect({ database: new BetterSqlite('./data/app.sqlite') }),
})
await db.schema
  .createTable('post')
  .ifNotExists()
  .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
  .addColumn('title', 'text', (column) => column.notNull())
  .addColumn('body', 'text', (column) => column.notNull())
  .execute()

export const gate = createQuillgate({ secret, database: db })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})
await gate.ready() // must come before the first save

/** Yields all posts for `markdown-editor reindex`. */
export async function* records(): AsyncGenerator<RecordEntry> {
  for (const { id, body } of await db.selectFrom('post').selectAll().execute())
    yield { type: 'post', id, texts: { body } }
}

export async function createPost(
  title: string,
  body: string,
  actor: User,
): Promise<{ id: number }> {
  return db.transaction().execute(async (trx) => {
    const values = { title, body }
    const post = await trx
      .insertInto('post')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow()
    const record = { type: 'post', id: post.id }
    await editor.references.set(record, { body }, { tx: kyselyExecutor(trx), actor })
    return post
  })
}

export async function savePost(id: number, body: string, actor: User): Promise<void> {
  const { removed } = await db.transaction().execute(async (trx) => {
    await trx.updateTable('post').set({ body }).where('id', '=', id).execute()
    return editor.references.set({ type: 'post', id }, { body }, { tx: kyselyExecutor(trx), actor })
  })
  await editor.references.settle(removed, { actor })
}

export async function deletePost(id: number, actor: User): Promise<void> {
  const { removed } = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('post').where('id', '=', id).execute()
    return editor.references.remove({ type: 'post', id }, { tx: kyselyExecutor(trx), actor })
  })
  await editor.references.settle(removed, { actor })
}

export const app = express()
app.use(mount(gate))
app.get(['/', '/posts/:id'], async (req, res) => {
  const posts = await db.selectFrom('post').selectAll().execute()
  const post = posts.find(({ id }) => String(id) === req.params['id'])
  const list = posts.map(({ id }) => `<li><a href="/posts/${id}">Post ${id}</a></li>`)
  const field = editor.widget()
  const fields = `<input name="title">${field.render('body', post?.body ?? '')}`
  const page = formPage(renderAssets(field.assets), await gate.csrfToken(req), fields)
  res.send(page + list.join(''))
})
app.post(['/', '/posts/:id'], express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, title, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // makes uploads permanent
  const { id } = req.params
  if (id === undefined) await createPost(title, text, user)
  else if (text === '') await deletePost(Number(id), user)
  else await savePost(Number(id), text, user)
  res.redirect(303, '/')
})
if (import.meta.main) app.listen(3000)
