import {
  type DrizzleCleanup,
  type DrizzleDatabase,
  type DrizzleTable,
  drizzleCleanup,
  drizzleRecords,
} from '@quillgate/markdown-editor/orm/drizzle'
import {
  type OrmFixture,
  type OrmNote,
  type OrmSaves,
  ormTables,
} from '@quillgate/markdown-editor/testing/suites'
import type { TestEngine } from '@quillgate/server/testing'
import BetterSqlite from 'better-sqlite3'
import { and, eq, is } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as mysql from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { pathOf } from '../better-sqlite.ts'

const postgresSchema = {
  post: pg.pgTable('post', {
    id: pg.serial('id').primaryKey(),
    title: pg.varchar('title', { length: 200 }).notNull(),
    topic: pg.varchar('topic', { length: 40 }).notNull().default(''),
    body: pg.text('body'),
    summary: pg.text('summary'),
    deletedAt: pg.varchar('deleted_at', { length: 40 }),
  }),
  note: pg.pgTable(
    'note',
    {
      postId: pg.integer('post_id').notNull(),
      language: pg.varchar('language', { length: 8 }).notNull(),
      text: pg.text('text').notNull(),
      remark: pg.varchar('remark', { length: 400 }).notNull().default(''),
      size: pg.integer('size').notNull().default(0),
    },
    ({ postId, language }) => [pg.primaryKey({ columns: [postId, language] })],
  ),
}

const mariadbSchema = {
  post: mysql.mysqlTable('post', {
    id: mysql.int('id').primaryKey().autoincrement(),
    title: mysql.varchar('title', { length: 200 }).notNull(),
    topic: mysql.varchar('topic', { length: 40 }).notNull().default(''),
    body: mysql.mediumtext('body'),
    summary: mysql.mediumtext('summary'),
    deletedAt: mysql.varchar('deleted_at', { length: 40 }),
  }),
  note: mysql.mysqlTable(
    'note',
    {
      postId: mysql.int('post_id').notNull(),
      language: mysql.varchar('language', { length: 8 }).notNull(),
      text: mysql.mediumtext('text').notNull(),
      remark: mysql.varchar('remark', { length: 400 }).notNull().default(''),
      size: mysql.int('size').notNull().default(0),
    },
    ({ postId, language }) => [mysql.primaryKey({ columns: [postId, language] })],
  ),
}

const sqliteSchema = {
  post: sqlite.sqliteTable('post', {
    id: sqlite.integer('id').primaryKey({ autoIncrement: true }),
    title: sqlite.text('title').notNull(),
    topic: sqlite.text('topic').notNull().default(''),
    body: sqlite.text('body'),
    summary: sqlite.text('summary'),
    deletedAt: sqlite.text('deleted_at'),
  }),
  note: sqlite.sqliteTable(
    'note',
    {
      postId: sqlite.integer('post_id').notNull(),
      language: sqlite.text('language').notNull(),
      text: sqlite.text('text').notNull(),
      remark: sqlite.text('remark').notNull().default(''),
      size: sqlite.integer('size').notNull().default(0),
    },
    ({ postId, language }) => [sqlite.primaryKey({ columns: [postId, language] })],
  ),
}

/** The schemas differ in the types of their columns only. */
type Schema = typeof postgresSchema
const SCHEMAS = {
  sqlite: sqliteSchema as unknown as Schema,
  postgres: postgresSchema,
  mariadb: mariadbSchema as unknown as Schema,
}

/** A Drizzle database with its schema, and what the editor uses beside it. */
export interface OpenDrizzle {
  readonly db: DrizzleDatabase
  readonly schema: Schema
  readonly tables: readonly DrizzleTable[]
  readonly editorDatabase: Kysely<unknown> | string
  readonly url: string
  close(): Promise<void>
}

/** Opens Drizzle on the drivers that its documentation names. */
export async function openDrizzle(engine: TestEngine): Promise<OpenDrizzle> {
  const { database, url, close } = await engine.open()
  const executor = database.executor(database.kysely)
  for (const statement of ormTables(engine.name)) await executor.execute(statement)
  const schema = SCHEMAS[engine.name]
  const tables: readonly DrizzleTable[] = [
    { table: schema.post, fields: ['body', 'summary'] },
    { table: schema.note, fields: null },
  ]
  if (engine.name === 'sqlite') {
    const [own, editors] = [
      new BetterSqlite(pathOf(url)),
      new BetterSqlite(pathOf(url), { timeout: 2 }),
    ]
    const editorDatabase = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: editors }),
    })
    const end = async () => {
      await editorDatabase.destroy()
      own.close()
      await close()
    }
    return { db: drizzleSqlite(own), schema, tables, editorDatabase, url, close: end }
  }
  const pool =
    engine.name === 'postgres'
      ? new Pool({ connectionString: url, max: 5 })
      : createPool({ uri: url, connectionLimit: 5 }).promise()
  const end = async () => {
    await pool.end()
    await close()
  }
  const db = pool instanceof Pool ? drizzlePg(pool) : drizzleMysql(pool)
  return { db, schema, tables, editorDatabase: url, url, close: end }
}

/** Drizzle and the editor on one database. */
export async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { db, schema, tables, editorDatabase, close } = await openDrizzle(engine)
  return {
    database: editorDatabase,
    start: (editor, options) => savesOf(drizzleCleanup(editor, db, tables, options), schema),
    records: () => drizzleRecords(db, tables),
    close,
  }
}

function savesOf(saves: DrizzleCleanup, { post, note }: Schema): OrmSaves {
  const noteWhere = ({ postId, language }: Pick<OrmNote, 'postId' | 'language'>) =>
    and(eq(note.postId, postId), eq(note.language, language))
  return {
    insertPost: async ({ deletedAt: _, ...values }) =>
      (await saves.insert(post, values))[0]?.id ?? Number.NaN,
    updatePost: async (id, { deletedAt: _, ...values }) =>
      void (await saves.update(post, values, eq(post.id, id))),
    updateTopic: async (topic, { deletedAt: _, ...values }) =>
      void (await saves.update(post, values, eq(post.topic, topic))),
    upsertPost: ({ title, body }) =>
      saves.transaction(async (own) => {
        if (is(own.db, mysql.MySqlDatabase)) {
          await own.db
            .insert(post as never)
            .values({ title, body } as never)
            .onDuplicateKeyUpdate({ set: { body } as never })
        } else {
          const { db } = own as unknown as DrizzleCleanup<pg.PgDatabase<pg.PgQueryResultHKT>>
          await db
            .insert(post)
            .values({ title, body })
            .onConflictDoUpdate({ target: post.title, set: { body } })
        }
        await own.written(post, eq(post.title, title))
      }),
    async retitlePost(id, title) {
      const { db } = saves as unknown as DrizzleCleanup<pg.PgDatabase<pg.PgQueryResultHKT>>
      await db.select({ id: post.id, title: post.title }).from(post).where(eq(post.id, id))
      await saves.update(post, { title }, eq(post.id, id))
    },
    renumberPost: async (id, newId) =>
      void (await saves.update(post, { id: newId }, eq(post.id, id))),
    softDeletePost: async (id) =>
      void (await saves.update(post, { deletedAt: 'now' }, eq(post.id, id))),
    deletePost: async (id) => void (await saves.delete(post, eq(post.id, id))),
    deleteTopic: async (topic) => void (await saves.delete(post, eq(post.topic, topic))),
    async findPost(id) {
      const { db } = saves as unknown as DrizzleCleanup<pg.PgDatabase<pg.PgQueryResultHKT>>
      return (await db.select().from(post).where(eq(post.id, id)))[0] ?? null
    },
    insertNote: async (values) => void (await saves.insert(note, values)),
    updateNote: async (key, values) => void (await saves.update(note, values, noteWhere(key))),
    deleteNote: async (key) => void (await saves.delete(note, noteWhere(key))),
    transaction: (work) => saves.transaction((inner) => work(savesOf(inner, { post, note }))),
  }
}
