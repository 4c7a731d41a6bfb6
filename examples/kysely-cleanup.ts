import { createMarkdownEditor, localFiles, type RecordEntry } from '@quillgate/markdown-editor'
import { kyselyExecutor } from '@quillgate/markdown-editor/orm/kysely'
import { createQuillgate } from '@quillgate/server'
import BetterSqlite from 'better-sqlite3'
import { type Generated, Kysely, SqliteDialect } from 'kysely'
import { currentUser, secret, type User } from './application.ts'

interface Tables {
  post: { id: Generated<number>; title: string; body: string }
}
export const db = new Kysely<Tables>({
  dialect: new SqliteDialect({ database: new BetterSqlite('./data/app.sqlite') }),
})

export const gate = createQuillgate({ secret, database: db })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})

/** For `markdown-editor reindex`. */
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
