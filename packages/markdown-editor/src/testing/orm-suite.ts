import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMarkdownEditor, type MarkdownEditor } from '../markdown-editor.ts'
import type { Actor } from '../media/owner.ts'
import type { Storage } from '../storage/storage.ts'
import { memoryStorage } from './memory-storage.ts'
import type { OrmFixture, OrmPost, OrmSaves } from './orm-fixture.ts'

/** Options of {@link ormSuite}. */
export interface OrmSuiteOptions {
  /** False when the library cannot do two things at once on this database. @default true */
  readonly isConcurrent?: boolean
}

/** A file of the tests. */
interface TestMedium {
  readonly id: string
  readonly key: string
  /** A text that mentions it. */
  readonly link: string
}

/** What every test works with. */
interface World {
  readonly editor: MarkdownEditor
  readonly storage: Storage
  readonly fixture: OrmFixture
  readonly saves: OrmSaves
  /** Who saves; undefined: the application. */
  actor: Actor | undefined
  addMedium(): Promise<TestMedium>
  /** Its state: `permanent`, or `deleted`, for the editor of the tests keeps orphans for no time. */
  stateOf(medium: TestMedium): Promise<string | undefined>
  /** Whether a record was saved with it. */
  isReferenced(medium: TestMedium): Promise<boolean>
}

type Given = () => World

const OWNER = { id: 'ada' }

/**
 * Describes and tests what every ORM adapter promises. Call it in a Vitest file; each test opens a database of its own.
 *
 * @param open opens the library on an empty database with the tables of `ormTables`
 * @example
 * ormSuite(() => openTypeorm(engine), { isConcurrent: engine.name !== 'sqlite' })
 */
export function ormSuite(open: () => Promise<OrmFixture>, { isConcurrent = true }: OrmSuiteOptions = {}): void {
  describe('ORM adapter', () => {
    let fixture: OrmFixture
    let world: World
    beforeEach(async () => {
      fixture = await open()
      world = await openWorld(fixture)
    })
    afterEach(async () => {
      await world?.editor.close()
      await fixture.close()
    })
    const given = (): World => world
    describe('records', () => recordTests(given))
    describe('fields', () => fieldTests(given))
    describe('bulk writes', () => bulkTests(given))
    describe('transactions', () => transactionTests(given))
    describe('failures', () => failureTests(given))
    if (isConcurrent) describe('two saves at once', () => concurrencyTests(given))
    describe('application', () => applicationTests(given))
  })
}

function recordTests(given: Given): void {
  it('a new record holds what it mentions', async () => {
    const { saves, addMedium, isReferenced } = given()
    const a = await addMedium()
    expect(await isReferenced(a)).toBe(false)
    await saves.insertPost({ title: 't', body: a.link })
    expect(await isReferenced(a)).toBe(true)
  })

  it('what a new text does not mention is gone before the save returns; the rest stays', async () => {
    const { saves, addMedium, stateOf, storage } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link + b.link })
    await saves.updatePost(id, { body: b.link })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    expect([await storage.stat(a.key), await storage.stat(b.key)]).toEqual([null, expect.anything()])
  })

  it('null is a text without media', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.updatePost(id, { body: null })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('the media of a deleted record go', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.deletePost(await saves.insertPost({ title: 't', body: a.link }))
    expect(await stateOf(a)).toBe('deleted')
  })

  it('a file that two records share goes with the last one', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', summary: a.link })
    await saves.deletePost(first)
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(second, { summary: '' })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('records whose key has several columns are told apart', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.insertNote({ postId: 1, language: 'en', text: a.link, remark: '' })
    await saves.insertNote({ postId: 1, language: 'de', text: a.link, remark: '' })
    await saves.updateNote({ postId: 1, language: 'en' }, { text: 'x' })
    expect(await stateOf(a)).toBe('permanent')
    await saves.deleteNote({ postId: 1, language: 'de' })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('a malformed URL in a text stops nothing', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: `[x](http://[::1/a) ${a.link}` })
    await saves.updatePost(id, { body: '[x](http://[::1/a) %E0%A4%A' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

function fieldTests(given: Given): void {
  it('a file that moves to another field stays', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.updatePost(id, { body: '', summary: a.link })
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(id, { summary: null })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('a file that another field still mentions stays', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link, summary: a.link })
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('permanent')
  })

  it('fields that were not written keep what they mention', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link, summary: b.link })
    await saves.updatePost(id, { title: 'new' })
    await saves.updatePost(id, { summary: 'x' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('fields that are not declared hold nothing', async () => {
    const { saves, addMedium, isReferenced } = given()
    const a = await addMedium()
    await saves.updatePost(await saves.insertPost({ title: 't', topic: a.link.slice(0, 40) }), { title: a.link })
    expect(await isReferenced(a)).toBe(false)
  })

  it('every declared text field counts', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const key = { postId: 1, language: 'en' }
    await saves.insertNote({ ...key, text: a.link, remark: b.link })
    await saves.updateNote(key, { remark: 'x' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })
}

function bulkTests(given: Given): void {
  it('an update of many records is seen in each', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b, c, d] = [await addMedium(), await addMedium(), await addMedium(), await addMedium()]
    const first = await saves.insertPost({ title: '1', topic: 'x', body: a.link, summary: d.link })
    await saves.insertPost({ title: '2', topic: 'x', body: b.link })
    await saves.insertPost({ title: '3', topic: 'y', body: b.link })
    await saves.updateTopic('x', { body: c.link })
    const states = [await stateOf(a), await stateOf(b), await stateOf(c), await stateOf(d)]
    expect(states).toEqual(['deleted', 'permanent', 'permanent', 'permanent'])
    await saves.updatePost(first, { body: '' })
    expect(await stateOf(c)).toBe('permanent')
    await saves.updateTopic('x', { body: null })
    expect(await stateOf(c)).toBe('deleted')
  })

  it('an update of no record changes nothing', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await saves.updateTopic('y', { body: b.link })
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })

  it('a delete of many records takes their media, and no others', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link + c.link })
    await saves.insertPost({ title: '2', topic: 'x', body: b.link })
    await saves.insertPost({ title: '3', topic: 'y', body: c.link })
    await saves.deleteTopic('x')
    expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual(['deleted', 'deleted', 'permanent'])
  })

  it('a bulk write in a transaction that rolls back changes nothing', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await rollBack(saves, async (own) => {
      await own.updateTopic('x', { body: b.link })
      await own.deleteTopic('x')
    })
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })
}

function transactionTests(given: Given): void {
  it('a rollback changes nothing', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await rollBack(saves, async (own) => {
      await own.updatePost(id, { body: b.link })
      await own.insertPost({ title: 'u', body: b.link })
      await own.deletePost(id)
    })
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
    expect((await saves.findPost(id))?.body).toBe(a.link)
  })

  it('bytes go after the commit', async () => {
    const { saves, addMedium, stateOf, storage } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.transaction(async (own) => {
      await own.transaction((inner) => inner.updatePost(id, { body: '' }))
      expect(await storage.stat(a.key)).not.toBeNull()
    })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('of several saves of one record the last one counts', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.transaction(async (own) => {
      await own.updatePost(id, { body: b.link })
      await own.updatePost(id, { body: '' })
      await own.updatePost(id, { body: a.link })
    })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('what a nested rollback takes back has not happened; the rest has', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', body: b.link })
    await saves.transaction(async (own) => {
      await own.updatePost(second, { body: 'x' })
      await rollBack(own, (inner) => inner.updatePost(first, { body: c.link }))
    })
    expect([await stateOf(a), await stateOf(b), await isReferenced(c)]).toEqual(['permanent', 'deleted', false])
  })

  it('a nested save that is kept goes with the rollback around it', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await rollBack(saves, (own) => own.transaction((inner) => inner.updatePost(id, { body: '' })))
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

function failureTests(given: Given): void {
  it('a save that the database refuses changes nothing', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 'own', body: a.link })
    await saves.insertPost({ title: 'taken' })
    await expect(saves.updatePost(id, { title: 'taken', body: b.link })).rejects.toThrow()
    await expect(saves.insertPost({ title: 'taken', body: b.link })).rejects.toThrow()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })

  it('a refused save takes the whole transaction back', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 'own', body: a.link })
    await saves.insertPost({ title: 'taken' })
    const saved = saves.transaction(async (own) => {
      await own.updatePost(id, { body: '' })
      await own.insertPost({ title: 'taken' })
    })
    await expect(saved).rejects.toThrow()
    expect(await stateOf(a)).toBe('permanent')
  })

  it('a text whose references cannot be written is not saved', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await expect(saves.updatePost(id, { body: textOfTooMany() })).rejects.toMatchObject({ code: 'too_many_media' })
    expect((await saves.findPost(id))?.body).toBe(a.link)
    expect(await stateOf(a)).toBe('permanent')
  })

  it('nor is it in a transaction that ignores the error', async () => {
    const { saves, addMedium } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    const saved = saves.transaction(async (own) => {
      await own.updatePost(id, { body: textOfTooMany() }).catch(() => {})
    })
    await expect(saved).rejects.toMatchObject({ code: 'too_many_media' })
    expect((await saves.findPost(id))?.body).toBe(a.link)
  })
}

function concurrencyTests(given: Given): void {
  it('the last of many records that share a file takes it along', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const ids: number[] = []
    for (const title of ['1', '2', '3', '4']) ids.push(await saves.insertPost({ title, body: a.link }))
    await Promise.all(ids.map((id) => saves.updatePost(id, { body: '' })))
    expect(await stateOf(a)).toBe('deleted')
  })

  it('a file that one save drops and another one keeps stays', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', body: a.link })
    await Promise.all([saves.updatePost(first, { body: '' }), saves.updatePost(second, { body: `${a.link} more` })])
    expect(await stateOf(a)).toBe('permanent')
  })

  it('of two saves of one record the text that is kept has its media', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't' })
    await Promise.all([saves.updatePost(id, { body: a.link }), saves.updatePost(id, { body: b.link })])
    const isFirst = (await saves.findPost(id))?.body === a.link
    expect([await stateOf(a), await stateOf(b)]).toEqual(isFirst ? ['permanent', 'deleted'] : ['deleted', 'permanent'])
  })
}

function applicationTests(given: Given): void {
  it('users decide on their own files only', async () => {
    const world = given()
    const { saves, addMedium, stateOf, isReferenced, editor } = world
    const a = await addMedium()
    world.actor = { id: 'grace' }
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.updatePost(id, { body: '' })
    expect([await stateOf(a), await isReferenced(a)]).toEqual(['permanent', false])
    world.actor = OWNER
    await saves.updatePost(id, { body: a.link })
    await saves.deletePost(id)
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'deleted', actor: 'user:ada' })
  })

  it('all records can be read for a rebuild, with the keys under which they are saved', async () => {
    const { saves, addMedium, fixture, editor, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.insertNote({ postId: 1, language: 'en', text: b.link, remark: '' })
    for (let n = 0; n < 3; n++) await saves.insertPost({ title: `${n}` })
    expect(await editor.references.rebuild(fixture.records())).toEqual({ records: 5, added: 0, missing: 0 })
    await saves.deletePost(id)
    await saves.deleteNote({ postId: 1, language: 'en' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'deleted'])
  })
}

const ROLLBACK = new Error('rolled back by the test')

async function rollBack(saves: OrmSaves, work: (saves: OrmSaves) => Promise<unknown>): Promise<void> {
  const rolledBack = saves.transaction(async (own) => {
    await work(own)
    throw ROLLBACK
  })
  await expect(rolledBack).rejects.toBe(ROLLBACK)
}

/** More media than one text may mention. */
function textOfTooMany(): OrmPost['body'] {
  return Array.from({ length: 10_001 }, (_, n) => `m${String(n).padStart(26, '0')}`).join(' ')
}

async function openWorld(fixture: OrmFixture): Promise<World> {
  const storage = memoryStorage()
  const editor = createMarkdownEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: fixture.database,
    storage,
    authenticate: () => OWNER,
    settings: { orphanGrace: 0, uploadRateLimit: null },
  })
  await editor.ready()
  const world: World = {
    ...{ editor, storage, fixture, actor: undefined },
    saves: fixture.start(editor, { actorOf: () => world.actor }),
    addMedium: () => addMedium(editor),
    stateOf: async ({ id }) => (await editor.media.get(id))?.state,
    isReferenced: async ({ id }) => (await editor.media.get(id))?.referencedAt !== null,
  }
  return world
}

async function addMedium(editor: MarkdownEditor): Promise<TestMedium> {
  const body = new FormData()
  body.set('file', new File(['Only text'], 'a.txt', { type: 'text/plain' }))
  const headers = { authorization: 'Bearer test' }
  const request = new Request(`https://example.com${editor.url('upload')}`, { method: 'POST', headers, body })
  const uploaded = (await (await editor.fetch(request)).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${uploaded.url})`, { owner: OWNER })
  const [, key = '', id = ''] = /\(\/media\/(.*(m[0-9a-z]{26}).*)\)/.exec(text) ?? []
  return { id, key, link: text }
}
