import { kyselyCleanup, kyselyRecords } from '@quillgate/markdown-editor/orm/kysely'
import {
  type OrmFixture,
  type OrmNote,
  type OrmSaves,
  ormTables,
} from '@quillgate/markdown-editor/testing/suites'
import type { Dialect } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import BetterSqlite from 'better-sqlite3'
import {
  type ControlledTransaction,
  type Generated,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
  sql,
} from 'kysely'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { pathOf } from '../better-sqlite.ts'

export interface Tables {
  post: {
    id: Generated<number>
    title: string
    topic: Generated<string>
    body: string | null
    summary: string | null
    deleted_at: string | null
  }
  note: { post_id: number; language: string; text: string; remark: string; size: Generated<number> }
}

export const TABLES = {
  post: { fields: ['body', 'summary'] },
  note: { key: ['post_id', 'language'], fields: ['text', 'remark'] },
} as const

/** The application's Kysely instance on the drivers that its documentation names. */
export function openKysely(engine: TestEngine, url: string): Kysely<Tables> {
  if (engine.name === 'sqlite') {
    return new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(pathOf(url)) }) })
  }
  if (engine.name === 'postgres') {
    return new Kysely({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 5 }) }),
    })
  }
  return new Kysely({
    dialect: new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 5 }) }),
  })
}

/** Kysely and the editor on one instance. */
export async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { url, close } = await engine.open()
  const plain = openKysely(engine, url)
  return fixtureOn(plain, engine.name, async () => {
    await plain.destroy()
    await close()
  })
}

/** The same on an instance that is open. */
export async function fixtureOn(
  plain: Kysely<Tables>,
  dialect: Dialect,
  close: () => Promise<void>,
): Promise<OrmFixture> {
  for (const statement of ormTables(dialect)) await sql.raw(statement).execute(plain)
  return {
    database: plain,
    start: (editor, options) => savesOf(kyselyCleanup(editor, plain, TABLES, options)),
    records: () => kyselyRecords(plain, TABLES),
    close,
  }
}

function savesOf(db: Kysely<Tables>): OrmSaves {
  const noteKey = ({ postId, language }: Pick<OrmNote, 'postId' | 'language'>) => ({
    post_id: postId,
    language,
  })
  return {
    async insertPost({ deletedAt: _, ...values }) {
      const insert = db
        .insertInto('post')
        .values({ body: null, summary: null, deleted_at: null, ...values })
      if (db.getExecutor().adapter.supportsReturning)
        return (await insert.returning('id').executeTakeFirstOrThrow()).id
      return Number((await insert.executeTakeFirstOrThrow()).insertId)
    },
    async updatePost(id, { deletedAt: _, ...values }) {
      await db.updateTable('post').set(values).where('id', '=', id).execute()
    },
    async upsertPost({ title, body }) {
      const insert = db.insertInto('post').values({ title, body, summary: null, deleted_at: null })
      // MariaDB does not know ON CONFLICT.
      const upsert = db.getExecutor().adapter.supportsReturning
        ? insert.onConflict((conflict) => conflict.column('title').doUpdateSet({ body }))
        : insert.onDuplicateKeyUpdate({ body })
      await upsert.execute()
    },
    async retitlePost(id, title) {
      await db
        .selectFrom('post')
        .select(['id', 'title'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      await db.updateTable('post').set({ title }).where('id', '=', id).execute()
    },
    renumberPost: async (id, newId) =>
      void (await db.updateTable('post').set({ id: newId }).where('id', '=', id).execute()),
    async softDeletePost(id) {
      await db.updateTable('post').set({ deleted_at: 'now' }).where('id', '=', id).execute()
    },
    async updateTopic(topic, { deletedAt: _, ...values }) {
      await db.updateTable('post').set(values).where('topic', '=', topic).execute()
    },
    deletePost: async (id) => void (await db.deleteFrom('post').where('id', '=', id).execute()),
    deleteTopic: async (topic) =>
      void (await db.deleteFrom('post').where('topic', '=', topic).execute()),
    async findPost(id) {
      return (
        (await db.selectFrom('post').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
      )
    },
    async insertNote({ postId, ...note }) {
      await db
        .insertInto('note')
        .values({ post_id: postId, ...note })
        .execute()
    },
    async updateNote(key, { text, remark }) {
      const set = {
        ...(text === undefined ? {} : { text }),
        ...(remark === undefined ? {} : { remark }),
      }
      await db
        .updateTable('note')
        .set(set)
        .where((eb) => eb.and(noteKey(key)))
        .execute()
    },
    async deleteNote(key) {
      await db
        .deleteFrom('note')
        .where((eb) => eb.and(noteKey(key)))
        .execute()
    },
    async transaction(work) {
      if (db.isTransaction) return nested(db as ControlledTransaction<Tables>, work)
      const trx = await db.startTransaction().execute()
      try {
        await work(savesOf(trx))
        await trx.commit().execute()
      } catch (error) {
        await trx.rollback().execute()
        throw error
      }
    },
  }
}

/** As an application writes it: Kysely has savepoints, but no nested transactions. */
async function nested(
  trx: ControlledTransaction<Tables>,
  work: (saves: OrmSaves) => Promise<void>,
): Promise<void> {
  const inner = await trx.savepoint('nested').execute()
  try {
    await work(savesOf(inner))
    await inner.releaseSavepoint('nested').execute()
  } catch (error) {
    await inner.rollbackToSavepoint('nested').execute()
    throw error
  }
}
