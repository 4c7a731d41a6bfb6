import { type DrizzleDatabase, drizzleExecutor } from '@quillgate/markdown-editor/orm/drizzle'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import BetterSqlite from 'better-sqlite3'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import * as mysql from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { betterSqlite, pathOf } from './better-sqlite.ts'
import { explicitSaves, type Writes } from './explicit-saves.ts'
import { type OrmFixture, type OrmNote, ormTables } from './suite/orm-fixture.ts'
import { ormSuite } from './suite/orm-suite.ts'

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

/** The type of all three schemas, which differ only in the types of their columns. */
type Schema = typeof postgresSchema
const SCHEMAS = {
  sqlite: sqliteSchema as unknown as Schema,
  postgres: postgresSchema,
  mariadb: mariadbSchema as unknown as Schema,
}

/** The type of all transactions. The methods are the same for the three dialects. */
type Transaction = pg.PgDatabase<pg.PgQueryResultHKT>

interface OpenDrizzle {
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

function openDrizzle({ name }: TestEngine, url: string): OpenDrizzle {
  if (name === 'sqlite') {
    const database = new BetterSqlite(pathOf(url), { timeout: 5 })
    const db = drizzleSqlite(database) as unknown as Transaction
    return {
      transaction: (work) => savepoint(db, 'BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK', work),
      close: async () => void database.close(),
    }
  }
  const pool =
    name === 'postgres'
      ? new Pool({ connectionString: url, max: 5 })
      : createPool({ uri: url, connectionLimit: 5 }).promise()
  const db = (pool instanceof Pool ? drizzlePg(pool) : drizzleMysql(pool)) as unknown as Transaction
  return { transaction: (work) => db.transaction(work), close: async () => void (await pool.end()) }
}

/** Drizzle has no asynchronous transactions on better-sqlite3. */
async function savepoint<Result>(
  db: Transaction,
  begin: string,
  commit: string,
  rollback: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const run = (statement: string): unknown =>
    (db as unknown as ReturnType<typeof drizzleSqlite>).run(sql.raw(statement))
  run(begin)
  try {
    const result = await work(db)
    run(commit)
    return result
  } catch (error) {
    run(rollback)
    throw error
  }
}

function writesIn(engine: TestEngine, tx: Transaction): Writes {
  const { post, note } = SCHEMAS[engine.name]
  const noteWhere = ({ postId, language }: Pick<OrmNote, 'postId' | 'language'>) =>
    and(eq(note.postId, postId), eq(note.language, language))
  return {
    executor: drizzleExecutor(tx as unknown as DrizzleDatabase),
    async insertPost({ title = '', deletedAt: _, ...values }) {
      const insert = tx.insert(post).values({ title, ...values })
      if (engine.name !== 'mariadb') return (await insert.returning())[0]?.id ?? Number.NaN
      const answer = (await insert) as unknown as [{ insertId: number }]
      return answer[0].insertId
    },
    updatePost: async (id, { deletedAt, ...values }) => {
      const set = deletedAt === undefined ? values : { ...values, deletedAt: String(deletedAt) }
      await tx.update(post).set(set).where(eq(post.id, id))
    },
    deletePost: async (id) => void (await tx.delete(post).where(eq(post.id, id))),
    findPosts({ id, title, topic }) {
      const conditions = [
        id === undefined ? undefined : eq(post.id, id),
        title === undefined ? undefined : eq(post.title, title),
        topic === undefined ? undefined : eq(post.topic, topic),
      ]
      return tx
        .select()
        .from(post)
        .where(and(...conditions))
    },
    insertNote: async (values) => void (await tx.insert(note).values(values)),
    updateNote: async (key, values) =>
      void (await tx.update(note).set(values).where(noteWhere(key))),
    deleteNote: async (key) => void (await tx.delete(note).where(noteWhere(key))),
    nested: (work) =>
      engine.name === 'sqlite'
        ? savepoint(tx, 'SAVEPOINT n', 'RELEASE n', 'ROLLBACK TO n', (own) =>
            work(writesIn(engine, own)),
          )
        : tx.transaction((inner) => work(writesIn(engine, inner))),
  }
}

async function openFixture(engine: TestEngine): Promise<OrmFixture> {
  const { database, url, close } = await engine.open()
  const { execute } = database.executor(database.kysely)
  for (const statement of ormTables(engine.name)) await execute(statement)
  const drizzle = openDrizzle(engine, url)
  const own = engine.name === 'sqlite' ? betterSqlite(url) : null
  return {
    database: own ?? url,
    start: ({ references }, options) =>
      explicitSaves(references, options, (work) =>
        drizzle.transaction((tx) => work(writesIn(engine, tx))),
      ),
    async close() {
      await drizzle.close()
      await own?.destroy()
      await close()
    },
  }
}

describe('drizzleExecutor', () => {
  it('names its argument in an error', () => {
    expect(() => drizzleExecutor({} as DrizzleDatabase)).toThrow(/^transaction must be a Drizzle/)
  })
})

describe('Drizzle', () => {
  describeDatabases((engine) => {
    // better-sqlite3 has one connection, so saves cannot run concurrently.
    ormSuite(() => openFixture(engine), { isConcurrent: engine.name !== 'sqlite' })

    sqlExecutorSuite(async () => {
      const { url, close } = await engine.open()
      const drizzle = openDrizzle(engine, url)
      return {
        transaction: (work) =>
          drizzle.transaction((tx) => work(drizzleExecutor(tx as unknown as DrizzleDatabase))),
        async close() {
          await drizzle.close()
          await close()
        },
      }
    })
  })
})
