import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrmFixture } from './orm-fixture.ts'
import {
  bulkRefusalTests,
  bulkTests,
  fieldTests,
  recordTests,
  upsertRefusalTests,
} from './orm-suite-records.ts'
import { sequenceTests } from './orm-suite-sequences.ts'
import {
  concurrencyTests,
  failureTests,
  savepointTests,
  transactionTests,
} from './orm-suite-transactions.ts'
import { partialSaveTests, textTests, upsertTests } from './orm-suite-ways.ts'
import { type Given, OWNER, openWorld, type World } from './orm-world.ts'

export interface OrmSuiteOptions {
  /** False if the library does not support concurrent saves on this database. @default true */
  readonly isConcurrent?: boolean
  /** The writes that the library's hooks reject. @default none */
  readonly refuses?: readonly ('bulk' | 'upsert')[]
}

/**
 * Describes the tests of an ORM library with its executor or hooks. All tests use one database,
 * which is emptied before each test.
 *
 * @param open opens the library on an empty database with the tables of `ormTables`
 * @example
 * ormSuite(() => openFixture(engine), { isConcurrent: engine.name !== 'sqlite' })
 */
export function ormSuite(
  open: () => Promise<OrmFixture>,
  { isConcurrent = true, refuses = [] }: OrmSuiteOptions = {},
): void {
  describe('ORM', () => {
    let fixture: OrmFixture
    let world: World
    beforeAll(async () => {
      fixture = await open()
      world = await openWorld(fixture)
    })
    beforeEach(() => world.reset())
    afterAll(async () => {
      await world?.close()
      await fixture.close()
    })
    const given = (): World => world
    describe('records', () => recordTests(given))
    describe('fields', () => fieldTests(given))
    describe('texts', () => textTests(given))
    describe('partial saves and soft deletes', () => partialSaveTests(given))
    const isBulkRefused = refuses.includes('bulk')
    describe('bulk writes', () => (isBulkRefused ? bulkRefusalTests : bulkTests)(given))
    const isUpsertRefused = refuses.includes('upsert')
    describe('upserts', () => (isUpsertRefused ? upsertRefusalTests : upsertTests)(given))
    describe('transactions', () => transactionTests(given))
    describe('savepoints', () => savepointTests(given))
    describe('random sequences', () => sequenceTests(given, isBulkRefused))
    describe('failures', () => failureTests(given))
    if (isConcurrent) describe('concurrent saves', () => concurrencyTests(given))
    describe('application', () => applicationTests(given))
  })
}

function applicationTests(given: Given): void {
  it('lets users orphan only their own files', async () => {
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

  it('finds all references of saved records in a rebuild, under the same keys', async () => {
    const { saves, addMedium, records, editor, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.insertNote({ postId: 1, language: 'en', text: b.link, remark: '' })
    for (let n = 0; n < 3; n++) await saves.insertPost({ title: `${n}` })
    expect(await editor.references.rebuild(records())).toEqual({
      records: 5,
      added: 0,
      missing: 0,
      recorded: true,
    })
    await saves.deletePost(id)
    await saves.deleteNote({ postId: 1, language: 'en' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'deleted'])
  })
}
