import {
  type DrizzleCleanup,
  type DrizzleDatabase,
  drizzleCleanup,
  drizzleRecords,
} from '@quillgate/markdown-editor/orm/drizzle'
import { ormSuite } from '@quillgate/markdown-editor/testing/suites'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import BetterSqlite from 'better-sqlite3'
import { eq, like, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trackReferences } from '../../../src/media/references/track-references.ts'
import { createDrizzleExecutor } from '../../../src/orm/drizzle/executor.ts'
import { createDrizzleTransactions } from '../../../src/orm/drizzle/transactions.ts'
import { openEditor, type TestEditor } from '../../editor-fixture.ts'
import { pathOf } from '../better-sqlite.ts'
import { type OpenDrizzle, openDrizzle, openFixture } from './fixture.ts'

const references = {
  set: async () => ({ added: [], removed: [], missing: [] }),
  settle: async () => [],
}

describe('drizzleCleanup', () => {
  describeDatabases((engine) => {
    ormSuite(() => openFixture(engine))

    sqlExecutorSuite(async () => {
      const { db, close } = await openDrizzle(engine)
      const { run } = createDrizzleTransactions(db, engine.name, trackReferences(references))
      return {
        transaction: (work) => run((scope) => work(createDrizzleExecutor(scope.db, engine.name))),
        close,
      }
    })

    describe('writes', () => writeTests(engine))
  })

  describe('configuration', configurationTests)
})

function writeTests(engine: TestEngine): void {
  let drizzled: OpenDrizzle
  let opened: TestEditor
  let saves: DrizzleCleanup
  beforeEach(async () => {
    drizzled = await openDrizzle(engine)
    opened = await openEditor({}, { database: drizzled.editorDatabase })
    saves = drizzleCleanup(opened.editor, drizzled.db, drizzled.tables)
  })
  afterEach(async () => {
    await opened.close()
    await drizzled.close()
  })

  const addMedium = async () => {
    const { id, url } = await opened.addPermanent()
    return { id, link: `![a](${url})` }
  }
  const stateOf = async ({ id }: { id: string }) => (await opened.editor.media.get(id))?.state
  const run = (db: DrizzleDatabase, statement: string) =>
    createDrizzleExecutor(db, engine.name).execute(statement)

  it('gives records as the database has them, and how many were written', async () => {
    const { post } = drizzled.schema
    const rows = await saves.insert(post, [
      { title: '1', body: 'x' },
      { title: '2', body: 'y' },
    ])
    expect(rows).toMatchObject([
      { title: '1', body: 'x', summary: null, topic: '' },
      { title: '2', body: 'y', summary: null, topic: '' },
    ])
    expect(rows.map(({ id }) => Number.isInteger(id))).toEqual([true, true])
    expect(await saves.insert(post, [])).toEqual([])
    expect(await saves.update(post, { topic: 'z' }, undefined)).toBe(2)
    expect(await saves.update(post, { body: 'z' }, eq(post.title, '1'))).toBe(1)
    expect(await saves.update(post, { body: 'z' }, eq(post.title, 'none'))).toBe(0)
    expect(await saves.delete(post, undefined)).toBe(2)
    expect(await saves.delete(post, undefined)).toBe(0)
  })

  it('reads what an expression became', async () => {
    const { post } = drizzled.schema
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insert(post, { title: '1', body: a.link, summary: b.link })
    await saves.update(
      post,
      { body: sql`${post.summary}`, summary: undefined },
      eq(post.title, '1'),
    )
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    await saves.update(post, { summary: null }, like(post.title, '1%'))
    expect(await stateOf(b)).toBe('permanent')
  })

  it('is told of what was written in another way', async () => {
    const { post } = drizzled.schema
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insert(post, { title: '1', body: a.link })
    await saves.transaction(async (own) => {
      await run(own.db, `UPDATE post SET body = '${b.link}'`)
      expect(await own.written(post, eq(post.title, '1'))).toBe(1)
    })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    await saves.delete(post, undefined)
    expect(await stateOf(b)).toBe('deleted')
  })

  it('does several things that are asked for at once one after the other', async () => {
    const { post } = drizzled.schema
    const media = await Promise.all([addMedium(), addMedium(), addMedium()])
    await saves.transaction(async (own) => {
      await Promise.all(media.map(({ link }, n) => own.insert(post, { title: `${n}`, body: link })))
      await Promise.all(media.map((_, n) => own.update(post, { body: '' }, eq(post.title, `${n}`))))
    })
    expect(await Promise.all(media.map(stateOf))).toEqual(['deleted', 'deleted', 'deleted'])
  })

  it('refuses the outer object within a transaction, and takes it again after it', async () => {
    const { post } = drizzled.schema
    const misuse = saves.transaction(() => saves.insert(post, { title: '1' }))
    await expect(misuse).rejects.toMatchObject({ code: 'transaction_misuse' })
    expect(await saves.insert(post, { title: '1' })).toHaveLength(1)
  })

  it('refuses a change of the primary key, and a table that it does not know', async () => {
    const { post } = drizzled.schema
    await saves.insert(post, { title: '1' })
    await expect(saves.update(post, { id: 77 }, undefined)).rejects.toMatchObject({
      code: 'expression_not_tracked',
    })
    const other = drizzleCleanup(opened.editor, drizzled.db, drizzled.tables.slice(1))
    await expect(other.insert(post, { title: '2' })).rejects.toThrow(
      'tables must name every table that is written here',
    )
  })

  it('reads all records page by page', async () => {
    const { post, note } = drizzled.schema
    for (let n = 0; n < 1001; n += 91) {
      await saves.insert(
        post,
        Array.from({ length: 91 }, (_, m) => ({ title: `${n + m}` })),
      )
    }
    const notes = Array.from({ length: 501 }, (_, n) => ({
      postId: n % 3,
      language: `l${n}`,
      text: 'x',
    }))
    await saves.insert(note, notes)
    const keys = new Set<string>()
    for await (const { type, id } of drizzleRecords(drizzled.db, drizzled.tables))
      keys.add(`${type} ${id}`)
    expect(keys.size).toBe(1502)
  })

  if (engine.name === 'sqlite')
    it('waits for another connection without blocking the process', waitsForTheEditor)

  async function waitsForTheEditor(): Promise<void> {
    const { post } = drizzled.schema
    const other = new BetterSqlite(pathOf(drizzled.url))
    other.exec('BEGIN IMMEDIATE')
    const saved = saves.insert(post, { title: '1' })
    setTimeout(() => other.exec('COMMIT'), 50)
    expect(await saved).toHaveLength(1)
    other.close()
  }
}

function configurationTests(): void {
  const db = drizzle(new BetterSqlite(':memory:'))
  const post = sqliteTable('post', { id: integer().primaryKey(), body: text() })

  it('refuses what it cannot follow', () => {
    const cleanup = (...tables: Parameters<typeof drizzleCleanup>[2]) =>
      drizzleCleanup({ references }, db, tables)
    expect(() => cleanup()).toThrow('tables must name at least one table')
    expect(() => cleanup({ table: post, fields: ['bdy'] as never })).toThrow(
      'fields must name columns of post (got "bdy")',
    )
    const keyless = sqliteTable('keyless', { body: text() })
    expect(() => cleanup({ table: keyless, fields: null })).toThrow(
      'tables must have a primary key: keyless',
    )
    const foreign = {} as unknown as DrizzleDatabase
    expect(() => drizzleCleanup({ references }, foreign, [{ table: post, fields: null }])).toThrow(
      'must be a Drizzle database',
    )
  })

  it('gives the application its own database', () => {
    expect(drizzleCleanup({ references }, db, [{ table: post, fields: ['body'] }]).db).toBe(db)
  })
}
