import { setTimeout as sleep } from 'node:timers/promises'
import { describeDatabases } from '@quillgate/server/testing/suites'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { RecordKey } from '../../../src/media/record-texts.ts'
import type { ReferenceIntent } from '../../../src/media/references/intents.ts'
import { openEditor, type TestEditor } from '../../editor-fixture.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const HOUR = 3_600_000

/** An application whose records are in another database: here, in memory. */
interface World extends TestEditor {
  readonly committed: Map<string, string>
  /** Called before each `load`. */
  onLoad: (record: RecordKey) => unknown
}

async function open(database = 'sqlite::memory:'): Promise<World> {
  const committed = new Map<string, string>()
  const records = {
    all: () => [],
    load: async (record: RecordKey) => {
      await world.onLoad(record)
      const body = committed.get(String(record.id))
      return body === undefined ? null : { body }
    },
  }
  const opened = await openEditor(
    { orphanGrace: 86_400, unsavedGrace: 7 * 86_400, sweepInterval: null },
    { recordsDatabase: 'separate', records, database },
  )
  ends.push(opened.close)
  const world: World = { ...opened, committed, onLoad: () => {} }
  return world
}

const post = (id: number | string) => ({ type: 'post', id })

describe('records in another database', () => {
  it('are announced, saved and confirmed', async () => {
    const { editor, committed, addPermanent } = await open()
    const [a, b] = [await addPermanent(), await addPermanent()]
    const first = await editor.references.intend(post(1), { body: a.url }, { actor: { id: 'ada' } })
    expect(first).toMatchObject({ added: [a.id], missing: [] })
    committed.set('1', a.url)
    expect(await first.confirm()).toEqual([])

    const second = await editor.references.intend(post(1), { body: b.url })
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'permanent' })
    committed.set('1', b.url)
    expect(await second.confirm()).toEqual([a.id])
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'orphaned' })
    expect(await editor.media.get(b.id)).toMatchObject({
      state: 'permanent',
      savedIn: { type: 'post', id: '1' },
    })
  })

  it('change nothing after a rollback', async () => {
    const { editor, committed, addPermanent } = await open()
    const [a, b] = [await addPermanent(), await addPermanent()]
    committed.set('1', a.url)
    await editor.references.set(post(1), { body: a.url })
    const intent = await editor.references.intend(post(1), { body: b.url })
    expect(await intent.cancel()).toEqual([b.id])
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'permanent' })
    expect(await editor.media.get(b.id)).toMatchObject({ state: 'permanent', referencedAt: null })
  })

  it('protect a file once its owner has saved the mention of another user', async () => {
    const { editor, committed, addPermanent } = await open()
    const { id, url } = await addPermanent('ada')
    const save = async (user: string, body: string): Promise<void> => {
      const intent = await editor.references.intend(post(1), { body }, { actor: { id: user } })
      committed.set('1', body)
      await intent.confirm()
    }
    await save('grace', url)
    await save('ada', `${url} from Ada`)
    const removal = editor.media.remove(id, { actor: { id: 'ada' } })
    await expect(removal).rejects.toMatchObject({ code: 'media_in_use', status: 409 })
  })

  it('are read again by the sweep when nobody told how the save ended', async () => {
    const { editor, committed, clock, addPermanent } = await open()
    const [a, b, c] = [await addPermanent(), await addPermanent(), await addPermanent()]
    await editor.references.intend(post(1), { body: a.url }) // The process dies before its commit,
    clock.advance(1)
    await editor.references.intend(post(2), { body: b.url }) // and here behind it.
    committed.set('2', b.url)
    clock.advance(1)
    await editor.references.intend(post(3), { body: c.url })
    committed.set('3', '') // Somebody wrote without telling.
    clock.advance(HOUR - 3)
    expect(await editor.sweep()).toMatchObject({ unconfirmed: 0 })
    clock.advance(3)
    expect(await editor.sweep()).toMatchObject({
      unconfirmed: 3,
      items: [
        { kind: 'unconfirmed', id: null, key: 'post 1' },
        { key: 'post 2' },
        { key: 'post 3' },
      ],
    })
    const states = () =>
      Promise.all([a, b, c].map(async ({ id }) => (await editor.media.get(id))?.state))
    expect(await states()).toEqual(['permanent', 'permanent', 'permanent'])
    expect(await editor.sweep()).toMatchObject({ unconfirmed: 0 })
    clock.advance(7 * 24 * HOUR) // No record was ever saved with two of them.
    await editor.sweep()
    expect(await states()).toEqual(['deleted', 'permanent', 'deleted'])
  })

  it('get their files back when a save took longer than the sweep waits', async () => {
    const { editor, committed, clock, addPermanent } = await open()
    const a = await addPermanent()
    committed.set('2', a.url)
    await editor.references.set(post(2), { body: a.url })
    const intent = await editor.references.intend(post(1), { body: a.url })
    committed.delete('2')
    await editor.references.remove(post(2))
    clock.advance(HOUR)
    await editor.sweep()
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'orphaned' })
    committed.set('1', a.url)
    await intent.confirm()
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'permanent' })
  })

  it('are read again when another save began meanwhile', async () => {
    const world = await open()
    const { editor, committed, addPermanent } = world
    const [a, b] = [await addPermanent(), await addPermanent()]
    const first = await editor.references.intend(post(1), { body: a.url })
    committed.set('1', a.url)
    let second: ReferenceIntent | null = null
    world.onLoad = async () => {
      world.onLoad = () => {}
      // It is saved and confirmed while the first one holds the text of before in its hands.
      committed.set('1', 'nothing')
      second = await editor.references.intend(post(1), { body: b.url })
      await sleep(1)
      committed.set('1', b.url)
      await second.confirm()
    }
    await first.confirm()
    expect(second).not.toBeNull()
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'orphaned' })
    expect(await editor.media.get(b.id)).toMatchObject({ state: 'permanent' })
  })

  it('stay protected when they cannot be read; confirm does not reject', async () => {
    const world = await open()
    const { editor, clock, logged, addPermanent } = world
    const a = await addPermanent()
    const intent = await editor.references.intend(post(1), { body: a.url })
    world.onLoad = () => Promise.reject(new Error('down'))
    expect(await intent.confirm()).toEqual([])
    expect(logged).toEqual([expect.stringContaining('post 1')])
    clock.advance(HOUR)
    expect(await editor.sweep()).toMatchObject({ failed: 1, unconfirmed: 0 })
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'permanent' })
    world.onLoad = () => {}
    expect(await editor.sweep()).toMatchObject({ failed: 0, unconfirmed: 1 })
    expect(await editor.media.get(a.id)).toMatchObject({ state: 'orphaned' })
  })

  it('refuse the transaction of another database, and too many media', async () => {
    const { editor } = await open()
    const tx = {
      dialect: 'sqlite',
      query: async () => [],
      execute: async () => ({ affected: 0 }),
    } as const
    await expect(editor.references.set(post(1), '', tx)).rejects.toMatchObject({
      code: 'records_separate',
    })
    const ids = Array.from({ length: 10_001 }, (_, n) => `m${String(n).padStart(26, '0')}`).join(
      ' ',
    )
    await expect(editor.references.intend(post(1), ids)).rejects.toMatchObject({
      code: 'too_many_media',
    })
    const { editor: other, close } = await openEditor()
    ends.push(close)
    await expect(other.references.intend(post(1), '')).rejects.toMatchObject({
      code: 'records_not_separate',
    })
  })

  describeDatabases((engine) => {
    it('have exactly their references in the end, however saves meet, fail and die', async () => {
      const database = await engine.open()
      ends.push(database.close)
      const world = await open(database.url)
      const files = [
        await world.addPermanent(),
        await world.addPermanent(),
        await world.addPermanent(),
      ]
      const save = fc.record({
        record: fc.integer({ min: 1, max: 2 }),
        files: fc.subarray([0, 1, 2]),
        outcome: fc.constantFrom('confirmed', 'cancelled', 'died before', 'died after'),
        pauses: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
      })
      const body = (indexes: readonly number[]) =>
        indexes.map((index) => files[index]?.url).join(' ')
      const run = async ({
        record,
        files: indexes,
        outcome,
        pauses,
      }: typeof save extends fc.Arbitrary<infer T> ? T : never) => {
        const [before = 0, between = 0, after = 0] = pauses
        await sleep(before)
        const intent = await world.editor.references.intend(post(record), { body: body(indexes) })
        await sleep(between)
        const isCommitted = outcome === 'confirmed' || outcome === 'died after'
        if (isCommitted) world.committed.set(String(record), body(indexes))
        await sleep(after)
        if (outcome === 'confirmed') await intent.confirm()
        if (outcome === 'cancelled') await intent.cancel()
      }
      await fc.assert(
        fc.asyncProperty(fc.array(save, { minLength: 1, maxLength: 6 }), async (saves) => {
          world.onLoad = () => sleep(1)
          await Promise.all(saves.map(run))
          const needed = new Set(
            files.filter(({ url }) => [...world.committed.values()].join().includes(url)),
          )
          const stateOf = async ({ id }: { id: string }) =>
            (await world.editor.media.get(id))?.state
          for (const file of needed) expect(await stateOf(file)).toBe('permanent')
          world.clock.advance(HOUR)
          await world.editor.sweep()
          for (const file of files) {
            const state = await stateOf(file)
            // What no save ever named is as it was.
            if (state !== 'permanent' || needed.has(file))
              expect(state).toBe(needed.has(file) ? 'permanent' : 'orphaned')
            else expect(await world.editor.media.get(file.id)).toMatchObject({ referencedAt: null })
          }
          for (const file of files) await world.editor.media.restore(file.id)
        }),
        { numRuns: 25 },
      )
    })
  })
})
