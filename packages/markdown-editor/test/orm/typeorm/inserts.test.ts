import 'reflect-metadata'
import { MarkdownCleanupMixin, typeormCleanup } from '@quillgate/markdown-editor/orm/typeorm'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { DataSource, type EntityManager, EntitySchema } from 'typeorm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEditor, type TestEditor } from '../../editor-fixture.ts'
import { betterSqlite } from '../better-sqlite.ts'
import { optionsFor } from './fixture.ts'

class Page extends MarkdownCleanupMixin(class {}) {
  static override markdownCleanupFields = ['body']
  declare id: number
  declare title: string
  declare body: string | null
  declare section: string
  declare place: number
  declare slug: string
}

/** Nothing but its generated key is unique, as far as the entity declares. */
class Line extends MarkdownCleanupMixin(class {}) {
  declare id: string
  declare text: string
  declare code: string | null
}

const entities = [
  new EntitySchema<Page>({
    name: 'page',
    target: Page,
    columns: {
      id: { type: 'integer', primary: true, generated: true },
      title: { type: 'varchar', length: 80, unique: true },
      body: { type: 'text', nullable: true },
      section: { type: 'varchar', length: 20, nullable: true },
      place: { type: 'integer', nullable: true },
      slug: { type: 'varchar', length: 20, nullable: true },
    },
    indices: [{ columns: ['section', 'place'], unique: true }],
  }),
  new EntitySchema<Line>({
    name: 'line',
    target: Line,
    columns: {
      id: { type: 'uuid', primary: true, generated: 'uuid' },
      text: { type: 'text' },
      code: { type: 'varchar', length: 20, nullable: true },
    },
  }),
]

/** Its key comes from the application. */
class Leaf extends MarkdownCleanupMixin(class {}) {
  static override markdownCleanupFields = ['body']
  declare id: number
  declare title: string
  declare body: string
}
const leaf = new EntitySchema<Leaf>({
  name: 'leaf',
  target: Leaf,
  columns: {
    id: { type: 'integer', primary: true },
    title: { type: 'varchar', length: 80, unique: true },
    body: { type: 'text' },
  },
})

class Shelf extends MarkdownCleanupMixin(class {}) {
  declare id: number
  declare label: string
  declare text: string
}
const shelf = new EntitySchema<Shelf>({
  name: 'shelf',
  target: Shelf,
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    label: { type: 'varchar', length: 20, unique: true, default: 'none' },
    text: { type: 'text' },
  },
})

describe('inserts of TypeORM that meet another record', () => {
  describeDatabases((engine) => {
    describe('outside of a transaction', () =>
      insertTests(engine, (dataSource, work) => work(dataSource.manager)))
    describe('within a transaction', () =>
      insertTests(engine, (dataSource, work) => dataSource.transaction(work)))
  })
})

type Run = (
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<unknown>,
) => Promise<unknown>

function insertTests(engine: TestEngine, run: Run): void {
  let dataSource: DataSource
  let opened: TestEditor
  let close: () => Promise<void>
  beforeEach(async () => {
    const database = await engine.open()
    const own = engine.name === 'sqlite' ? betterSqlite(database.url) : null
    opened = await openEditor({}, { database: own ?? database.url })
    const options = {
      ...optionsFor(engine, database.url),
      entities: [...entities, leaf, shelf],
      synchronize: true,
    }
    dataSource = await new DataSource(options).initialize()
    typeormCleanup(opened.editor, dataSource)
    close = async () => {
      await dataSource.destroy()
      await opened.close()
      await own?.destroy()
      await database.close()
    }
  })
  afterEach(() => close())

  const write = (work: (manager: EntityManager) => Promise<unknown>) => run(dataSource, work)
  const addMedium = async () => {
    const { id, url } = await opened.addPermanent()
    return { id, link: `![a](${url})` }
  }
  type Medium = Awaited<ReturnType<typeof addMedium>>
  /** The records that the ledger knows to mention the file; null: it is deleted. */
  const holders = async ({ id }: Medium): Promise<string[] | null> => {
    const place = engine.name === 'postgres' ? '$1' : '?'
    const sql = `SELECT record_id FROM quillgate_media_reference WHERE media_id = ${place} ORDER BY record_id`
    const rows: { record_id: string }[] = await dataSource.query(sql, [id])
    const deleted = (await opened.editor.media.get(id))?.state !== 'permanent'
    return deleted ? null : rows.map((row) => row.record_id)
  }
  const insert = (
    manager: EntityManager,
    values: object | object[],
    into: typeof Page | typeof Leaf = Page,
  ) => manager.createQueryBuilder().insert().into(into).values(values)
  /** Two records, of which the second one has the last key. */
  const twoPages = async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await dataSource.manager.insert(Page, { title: 'first', body: a.link })
    await dataSource.manager.insert(Page, { title: 'second', body: b.link })
    return [a, b, await addMedium()] as const
  }
  const twoLeaves = async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await dataSource.manager.insert(Leaf, { id: 1, title: 'first', body: a.link })
    await dataSource.manager.insert(Leaf, { id: 2, title: 'second', body: b.link })
    return [a, b, await addMedium()] as const
  }

  it('orIgnore with the key of another record changes nothing', async () => {
    const [a, b, c] = await twoLeaves()
    await write((manager) =>
      insert(manager, { id: 1, title: 'x', body: c.link }, Leaf).orIgnore().execute(),
    )
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([['1'], ['2'], []])
  })

  it('orIgnore with a unique value of another record changes nothing, whatever key the database tells', async () => {
    const [a, b, c] = await twoPages()
    await write((manager) => insert(manager, { title: 'first', body: c.link }).orIgnore().execute())
    await dataSource.manager.save(Page, { id: 2, title: 'new' })
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([['1'], ['2'], []])
  })

  it('orIgnore of several, of which some are ignored, tells of the others', async () => {
    const [a, b, c] = await twoPages()
    const d = await addMedium()
    const rows = [
      { title: 'first', body: d.link },
      { title: 'third', body: c.link },
      { title: 'second', body: d.link },
    ]
    await write((manager) => insert(manager, rows).orIgnore().execute())
    const third = await dataSource.manager.findOneByOrFail(Page, { title: 'third' })
    expect([await holders(a), await holders(b), await holders(d)]).toEqual([['1'], ['2'], []])
    expect(await holders(c)).toEqual([String(third.id)])
  })

  it('orUpdate of other columns leaves the media of the record alone', async () => {
    const [a, b, c] = await twoLeaves()
    await write((manager) =>
      insert(manager, { id: 1, title: 'x', body: c.link }, Leaf)
        .orUpdate(['title'], ['id'])
        .execute(),
    )
    expect(await dataSource.manager.findOneBy(Leaf, { id: 1 })).toMatchObject({
      title: 'x',
      body: a.link,
    })
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([['1'], ['2'], []])
  })

  it('upsert by another unique column finds the record that it updates', async () => {
    const [a, b, c] = await twoPages()
    await write((manager) => manager.upsert(Page, { title: 'first', body: c.link }, ['title']))
    await dataSource.manager.save(Page, { id: 2, section: 'new' })
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([null, ['2'], ['1']])
  })

  it('upsert by two unique columns, too', async () => {
    const [a, , c] = await twoPages()
    await dataSource.manager.update(Page, { id: 1 }, { section: 's', place: 1 })
    const values = { title: 'new', section: 's', place: 1, body: c.link }
    await write((manager) => manager.upsert(Page, values, ['section', 'place']))
    expect([await holders(a), await holders(c)]).toEqual([null, ['1']])
  })

  it('upsert of several, in another order, and of one that is new', async () => {
    const [a, b, c] = await twoPages()
    const d = await addMedium()
    const rows = [
      { title: 'second', body: a.link },
      { title: 'third', body: c.link },
      { title: 'first', body: d.link },
    ]
    await write((manager) => manager.upsert(Page, rows, ['title']))
    const third = await dataSource.manager.findOneByOrFail(Page, { title: 'third' })
    expect([await holders(a), await holders(b), await holders(d)]).toEqual([['2'], null, ['1']])
    expect(await holders(c)).toEqual([String(third.id)])
  })

  it('upsert empties what only other rows of it have', async () => {
    const [a, , c] = await twoPages()
    await write((manager) =>
      manager.upsert(Page, [{ title: 'first' }, { title: 'second', body: c.link }], ['title']),
    )
    expect(await dataSource.manager.findOneBy(Page, { id: 1 })).toMatchObject({ body: null })
    expect([await holders(a), await holders(c)]).toEqual([null, ['2']])
  })

  it('upsert that gives the record another key moves what it mentions', async () => {
    const [a, b, c] = await twoLeaves()
    await write((manager) =>
      manager.upsert(Leaf, { id: 9, title: 'first', body: a.link + c.link }, ['title']),
    )
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([['9'], ['2'], ['9']])
  })

  it('upsert by the key', async () => {
    const [a, b, c] = await twoLeaves()
    await write((manager) => manager.upsert(Leaf, { id: 1, title: 'first', body: c.link }, ['id']))
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([null, ['2'], ['1']])
  })

  it('finds a record by its texts where nothing else is known of it', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    const rows = [{ text: a.link }, { text: b.link }]
    await write((manager) =>
      manager.createQueryBuilder().insert().into(Line).values(rows).orIgnore().execute(),
    )
    const lines = await dataSource.manager.find(Line)
    const idOf = ({ link }: Medium) => [lines.find(({ text }) => text === link)?.id]
    expect([await holders(a), await holders(b)]).toEqual([idOf(a), idOf(b)])
  })

  it('refuses an upsert of which it cannot tell what it updates, and writes nothing', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    await dataSource.manager.save(Shelf, { text: a.link })
    const upsert = write((manager) => manager.upsert(Shelf, { text: b.link }, ['label']))
    await expect(upsert).rejects.toMatchObject({ code: 'expression_not_tracked' })
    expect(await dataSource.manager.find(Shelf)).toMatchObject([{ text: a.link }])
    expect([await holders(a), await holders(b)]).toEqual([['1'], []])
  })

  it('reads the texts as the database has them, not as the entity has', async () => {
    const [a, b] = [await addMedium(), await addMedium()]
    const listener = { afterInsert: forgetBody, afterUpdate: forgetBody }
    dataSource.subscribers.unshift(listener)
    await write((manager) => manager.save(Page, { title: 'first', body: a.link }))
    await write((manager) =>
      insert(manager, { title: 'second', body: () => `'${b.link}'` }).execute(),
    )
    await write((manager) => manager.save(Page, { id: 1, body: `${a.link} new` }))
    expect([await holders(a), await holders(b)]).toEqual([['1'], ['2']])
  })

  it('knows a record whose key TypeORM is not to tell', async () => {
    const a = await addMedium()
    await write((manager) =>
      insert(manager, { title: 'first', body: a.link }).updateEntity(false).execute(),
    )
    expect(await holders(a)).toEqual(['1'])
  })

  it('after a failed insert the next one is told', async () => {
    const [a, b, c] = await twoPages()
    const rows = [
      { title: 'third', body: a.link },
      { title: 'first', body: c.link },
    ].map((values) => dataSource.manager.create(Page, values))
    await expect(write((manager) => manager.save(rows))).rejects.toThrow()
    await write((manager) => insert(manager, rows).orIgnore().execute())
    const third = await dataSource.manager.findOneByOrFail(Page, { title: 'third' })
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([
      ['1', `${third.id}`],
      ['2'],
      [],
    ])
  })

  it('orIgnore with a new key and a unique value of another record changes nothing', async () => {
    const [a, b, c] = await twoLeaves()
    await write((manager) =>
      insert(manager, { id: 7, title: 'first', body: c.link }, Leaf).orIgnore().execute(),
    )
    expect([await holders(a), await holders(b), await holders(c)]).toEqual([['1'], ['2'], []])
  })

  it('refuses to lose a file to a unique index that the entity does not declare', async () => {
    const [a, , c] = await twoPages()
    await dataSource.query('CREATE UNIQUE INDEX page_slug ON page (slug)')
    await dataSource.manager.update(Page, { id: 1 }, { slug: 's' })
    const upsert = write((manager) =>
      insert(manager, { title: 'x', slug: 's', body: c.link })
        .orUpdate(['body'], ['title'])
        .execute(),
    )
    // Only MariaDB looks at all unique columns; to the others it is an error of their own.
    await expect(upsert).rejects.toMatchObject(
      engine.name === 'mariadb' ? { code: 'expression_not_tracked' } : {},
    )
    expect(await holders(a)).toEqual(['1'])
  })
}

function forgetBody({ entity }: { readonly entity?: object | undefined }): void {
  if (entity && 'body' in entity) entity.body = ''
}
