import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OrmFixture } from './orm-fixture.ts'
import { bulkTests, fieldTests, recordTests } from './orm-suite-records.ts'
import { sequenceTests } from './orm-suite-sequences.ts'
import { concurrencyTests, failureTests, transactionTests } from './orm-suite-transactions.ts'
import { textTests, wayTests } from './orm-suite-ways.ts'
import { type Given, OWNER, openWorld, type World } from './orm-world.ts'

/** Options of {@link ormSuite}. */
export interface OrmSuiteOptions {
  /** False when the library cannot do two things at once on this database. @default true */
  readonly isConcurrent?: boolean
}

/**
 * Describes and tests what every ORM adapter promises.  Call it in a Vitest file; each test opens a database of its own.
 *
 * @param open opens the library on an empty database with the tables of `ormTables`
 * @example
 * ormSuite(() => openTypeorm(engine), { isConcurrent: engine.name !== 'sqlite' })
 */
export function ormSuite(
  open: () => Promise<OrmFixture>,
  { isConcurrent = true }: OrmSuiteOptions = {},
): void {
  describe('ORM adapter', () => {
    let fixture: OrmFixture
    let world: World
    beforeEach(async () => {
      fixture = await open()
      world = await openWorld(fixture)
    })
    afterEach(async () => {
      await world?.close()
      await fixture.close()
    })
    const given = (): World => world
    describe('records', () => recordTests(given))
    describe('fields', () => fieldTests(given))
    describe('texts', () => textTests(given))
    describe('ways to write', () => wayTests(given))
    describe('bulk writes', () => bulkTests(given))
    describe('transactions', () => transactionTests(given))
    describe('any sequence', () => sequenceTests(given))
    describe('failures', () => failureTests(given))
    if (isConcurrent) describe('two saves at once', () => concurrencyTests(given))
    describe('application', () => applicationTests(given))
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
    expect(await stateOf(a)).toBe('deleted')
    expect(await editor.media.get(a.id)).toMatchObject({ actor: 'user:ada' })
  })

  it('all records can be read for a rebuild, with the keys under which they are saved', async () => {
    const { saves, addMedium, fixture, editor, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.insertNote({ postId: 1, language: 'en', text: b.link, remark: '' })
    for (let n = 0; n < 3; n++) await saves.insertPost({ title: `${n}` })
    expect(await editor.references.rebuild(fixture.records())).toEqual({
      records: 5,
      added: 0,
      missing: 0,
    })
    await saves.deletePost(id)
    await saves.deleteNote({ postId: 1, language: 'en' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'deleted'])
  })
}
