import { kyselyCleanup, kyselyRecords } from '@quillgate/markdown-editor/orm/kysely'
import { ormSuite, ormTables } from '@quillgate/markdown-editor/testing/suites'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEditor, type TestEditor } from '../../editor-fixture.ts'
import { fixtureOn, openFixture, openKysely, TABLES, type Tables } from './fixture.ts'

describe('kyselyCleanup', () => {
  describeDatabases((engine) => {
    ormSuite(() => openFixture(engine))
    describe('queries', () => queryTests(engine))
  })

  describe('on a database of openDatabase', () => {
    describeDatabases(
      (engine) => {
        ormSuite(async () => {
          const { database, close } = await engine.open<Tables>()
          return fixtureOn(database.kysely, engine.name, close)
        })
      },
      ['sqlite'],
    )
  })
})

function queryTests(engine: TestEngine): void {
  let plain: Kysely<Tables>
  let db: Kysely<Tables>
  let opened: TestEditor
  let close: () => Promise<void>
  beforeEach(async () => {
    const test = await engine.open()
    plain = openKysely(engine, test.url)
    for (const statement of ormTables(engine.name)) await sql.raw(statement).execute(plain)
    opened = await openEditor({}, { database: plain })
    db = kyselyCleanup(opened.editor, plain, TABLES)
    close = async () => {
      await plain.destroy()
      await test.close()
    }
  })
  afterEach(() => close())

  const addMedium = async () => {
    const { id, url } = await opened.addPermanent()
    return { id, link: `![a](${url})` }
  }
  const stateOf = async ({ id }: { id: string }) => (await opened.editor.media.get(id))?.state
  const isReferenced = async ({ id }: { id: string }) =>
    (await opened.editor.media.get(id))?.referencedAt !== null
  const insert = (title: string, body: string, topic = '') =>
    db.insertInto('post').values({ title, body, topic })
  const refused = { code: 'expression_not_tracked' }

  it('gives results as the plain instance does', async () => {
    const one = await insert('1', 'x').executeTakeFirstOrThrow()
    const expected = await plain.insertInto('post').values({ title: '2' }).executeTakeFirstOrThrow()
    const next = (id: bigint | undefined) => (id === undefined ? undefined : id + 1n)
    expect(expected.insertId).toBe(next(one.insertId))
    expect(one.numInsertedOrUpdatedRows).toBe(expected.numInsertedOrUpdatedRows)
    const updated = await db.updateTable('post').set({ body: 'y' }).executeTakeFirstOrThrow()
    const deleted = await db.deleteFrom('post').executeTakeFirstOrThrow()
    expect([updated.numUpdatedRows, deleted.numDeletedRows]).toEqual([2n, 2n])
  })

  it('adds nothing to the rows that the application asked for', async () => {
    if (!plain.getExecutor().adapter.supportsReturning) return
    const row = await insert('1', 'x').returningAll().executeTakeFirstOrThrow()
    expect(Object.keys(row).sort()).toEqual([
      'body',
      'deleted_at',
      'id',
      'summary',
      'title',
      'topic',
    ])
    const renamed = await db
      .updateTable('post')
      .set({ body: 'y' })
      .returning('body as text')
      .execute()
    expect(renamed).toEqual([{ text: 'y' }])
    expect(await db.deleteFrom('post').returning('title').execute()).toEqual([{ title: '1' }])
  })

  it('reads what an expression became', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await insert('1', a.link).execute()
    await db
      .updateTable('post')
      .set((eb) => ({ body: eb.ref('summary'), summary: sql<string>`${b.link}` }))
      .execute()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['deleted', true])
  })

  it('sees an insert from a query, and an upsert', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await insert('1', a.link).execute()
    const copied = plain.selectFrom('post').select([sql<string>`'copy'`.as('title'), 'body'])
    await db.insertInto('post').columns(['title', 'body']).expression(copied).execute()
    const upsert = insert('1', b.link)
    if (engine.name === 'mariadb') await upsert.onDuplicateKeyUpdate({ body: b.link }).execute()
    else
      await upsert
        .onConflict((conflict) => conflict.column('title').doUpdateSet({ body: b.link }))
        .execute()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', true])
    await db.deleteFrom('post').where('title', '=', 'copy').execute()
    expect(await stateOf(a)).toBe('deleted')
  })

  it('an insert that changes nothing changes nothing', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await insert('1', a.link).execute()
    const ignored = insert('1', b.link)
    if (engine.name === 'mariadb') await ignored.ignore().execute()
    else await ignored.onConflict((conflict) => conflict.doNothing()).execute()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })

  it('of several inserts tells of what became of each, within a transaction too', async () => {
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    await insert('1', a.link).execute()
    await insert('2', b.link).execute()
    await db.transaction().execute(async (trx) => {
      const rows = trx.insertInto('post').values([
        { title: '1', body: c.link },
        { title: '3', body: c.link },
      ])
      if (engine.name === 'mariadb') await rows.ignore().execute()
      else await rows.onConflict((conflict) => conflict.doNothing()).execute()
      const retitled = trx.insertInto('post').values({ title: '1', body: b.link })
      if (engine.name === 'mariadb') await retitled.onDuplicateKeyUpdate({ topic: 'x' }).execute()
      else
        await retitled
          .onConflict((conflict) => conflict.column('title').doUpdateSet({ topic: 'x' }))
          .execute()
    })
    await db.deleteFrom('post').where('title', '=', '2').execute()
    expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual([
      'permanent',
      'deleted',
      'permanent',
    ])
    await db.deleteFrom('post').where('title', '=', '3').execute()
    expect(await stateOf(c)).toBe('deleted')
  })

  it('refuses an upsert that gives a record another key', async () => {
    const a = await addMedium()
    await insert('1', a.link).execute()
    const upsert = insert('1', '')
    const another =
      engine.name === 'mariadb'
        ? upsert.onDuplicateKeyUpdate({ id: 77 })
        : upsert.onConflict((conflict) => conflict.column('title').doUpdateSet({ id: 77 }))
    await expect(another.execute()).rejects.toMatchObject(refused)
    expect(await stateOf(a)).toBe('permanent')
  })

  it('follows aliases, joins and limits', async () => {
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    await insert('1', a.link, 'x').execute()
    await insert('2', b.link, 'x').execute()
    await insert('3', c.link, 'y').execute()
    const { id } = await plain
      .selectFrom('post')
      .select('id')
      .where('title', '=', '1')
      .executeTakeFirstOrThrow()
    await plain
      .insertInto('note')
      .values({ post_id: id, language: 'en', text: 'x', remark: '' })
      .execute()
    if (engine.name === 'mariadb') {
      await db.updateTable('post as p').set({ body: '' }).where('p.title', '=', '1').execute()
      await db
        .deleteFrom('post')
        .where('topic', '=', 'x')
        .orderBy('title', 'desc')
        .limit(1)
        .execute()
    } else {
      const update = db.updateTable('post as p').from('note').set({ body: '' })
      await update.whereRef('note.post_id', '=', 'p.id').execute()
      const of = db.selectFrom('post as other').select('other.id').where('other.title', '=', '2')
      await db.deleteFrom('post').where('id', 'in', of).execute()
    }
    expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual([
      'deleted',
      'deleted',
      'permanent',
    ])
  })

  it('follows a delete that another table decides on', async () => {
    if (engine.name === 'sqlite') return // has no such statement
    const [a, b] = [await addMedium(), await addMedium()]
    await insert('1', a.link, 'en').execute()
    await insert('2', b.link, 'de').execute()
    await plain
      .insertInto('note')
      .values({ post_id: 1, language: 'en', text: 'x', remark: '' })
      .execute()
    const using =
      engine.name === 'mariadb'
        ? db.deleteFrom('post').using(['post', 'note'])
        : db.deleteFrom('post').using('note')
    await using.whereRef('note.language', '=', 'post.topic').execute()
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
  })

  it('does not look at writes without texts, and at other tables', async () => {
    const a = await addMedium()
    await insert('1', a.link).execute()
    await db.updateTable('post').set({ topic: 'x' }).execute()
    await sql`UPDATE post SET body = ''`.execute(db)
    expect(await stateOf(a)).toBe('permanent')
  })

  it('commits and rolls back with transaction().execute()', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('post').values({ title: '1', body: a.link }).execute()
      throw new Error('rollback')
    })
    await expect(failing).rejects.toThrow('rollback')
    await db
      .transaction()
      .execute((trx) => trx.insertInto('post').values({ title: '1', body: b.link }).execute())
    expect([await isReferenced(a), await isReferenced(b)]).toEqual([false, true])
  })

  it('refuses what it cannot follow, and changes nothing', async () => {
    const a = await addMedium()
    await insert('1', a.link).execute()
    await expect(db.updateTable('post').set({ id: 77 }).execute()).rejects.toMatchObject(refused)
    await expect(db.replaceInto('post').values({ title: '1' }).execute()).rejects.toMatchObject(
      refused,
    )
    const hidden = db
      .with('gone', (own) => own.deleteFrom('post').returning('id'))
      .selectFrom('gone')
      .selectAll()
    await expect(hidden.execute()).rejects.toMatchObject(refused)
    const merge = db
      .mergeInto('post')
      .using('note', 'note.post_id', 'post.id')
      .whenMatched()
      .thenUpdateSet({ body: '' })
    await expect(merge.execute()).rejects.toMatchObject(refused)
    const both = db.updateTable(['post', 'note']).set({ body: '' })
    await expect(both.execute()).rejects.toMatchObject(refused)
    expect(await plain.selectFrom('post').select('body').execute()).toEqual([{ body: a.link }])
    expect(await stateOf(a)).toBe('permanent')
  })

  it('takes the names of the application where a plugin changes them', async () => {
    interface Camel {
      note: { postId: number; language: string; text: string; remark: string }
    }
    const camel = plain.withPlugin(new CamelCasePlugin()) as unknown as Kysely<Camel>
    const tables = { note: { key: ['postId', 'language'], fields: ['text'] } } as const
    const followed = kyselyCleanup(opened.editor, camel, tables)
    const a = await addMedium()
    await followed
      .insertInto('note')
      .values({ postId: 7, language: 'en', text: a.link, remark: '' })
      .execute()
    const [found] = await followed.selectFrom('note').selectAll().execute()
    expect(found).toMatchObject({ postId: 7 })
    const keys: unknown[] = []
    for await (const { type, id, texts } of kyselyRecords(camel, tables))
      keys.push({ type, id, texts })
    expect(keys).toEqual([{ type: 'note', id: '["7","en"]', texts: { text: a.link } }])
    await followed.updateTable('note').set({ text: '' }).where('postId', '=', 7).execute()
    expect(await stateOf(a)).toBe('deleted')
  })

  it('knows a table with a schema, as a table of its own', async () => {
    if (engine.name === 'sqlite') return // has no schemas
    const name = engine.name === 'mariadb' ? sql<string>`database()` : sql<string>`current_schema()`
    const { schema } = await plain.selectNoFrom(name.as('schema')).executeTakeFirstOrThrow()
    const [a, b] = [await addMedium(), await addMedium()]
    const within = db.withSchema(schema)
    await within.insertInto('post').values({ title: '1', body: a.link }).execute()
    await within.updateTable('post').set({ body: b.link }).execute()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['deleted', true])
    await within.deleteFrom('post').where('title', '=', '1').execute()
    expect(await stateOf(b)).toBe('deleted')
  })

  it('can be the database of the editor too', async () => {
    const own = await openEditor({}, { database: db, storage: opened.storage })
    const followed = kyselyCleanup(own.editor, plain, TABLES)
    const { id, url } = await own.addPermanent()
    await followed.insertInto('post').values({ title: '1', body: url }).execute()
    await followed.deleteFrom('post').execute()
    expect((await own.editor.media.get(id))?.state).toBe('deleted')
  })

  it('reads all records page by page', async () => {
    const rows = Array.from({ length: 1001 }, (_, n) => ({ title: `${n}` }))
    await plain.insertInto('post').values(rows).execute()
    const notes = Array.from({ length: 501 }, (_, n) => ({
      post_id: n % 3,
      language: `l${n}`,
      text: 'x',
      remark: '',
    }))
    await plain.insertInto('note').values(notes).execute()
    const keys = new Set<string>()
    for await (const { type, id } of kyselyRecords(db, TABLES)) keys.add(`${type} ${id}`)
    expect(keys.size).toBe(1502)
  })

  it('refuses tables without columns', () => {
    const { editor } = opened
    expect(() => kyselyCleanup(editor, plain, {})).toThrow('tables must name at least one table')
    expect(() => kyselyCleanup(editor, plain, { post: { fields: [] } })).toThrow(
      'tables.post.fields must name',
    )
    expect(() => kyselyCleanup(editor, plain, { post: { key: [], fields: ['body'] } })).toThrow(
      'tables.post.key',
    )
    // @ts-expect-error a table without that column
    kyselyCleanup(editor, plain, { post: { fields: ['bdy'] } })
    // @ts-expect-error no such table
    kyselyCleanup(editor, plain, { pots: { fields: ['body'] } })
  })
}
