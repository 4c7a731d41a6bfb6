import { openDatabase } from '@quillgate/server/database'
import { describe, expect, it } from 'vitest'
import { DAY, idOf, image, keyOf, keyOfUrl, png } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'
import { change, nothing, useTrackingEditors } from './sweep-fixture.ts'

const { cleanups, open } = useTrackingEditors()
const { open: openDefault } = useEditors()

describe('files that no record references', () => {
  it('keeps a file that was just finalized and is not saved yet (F14)', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    await addPermanent()
    expect(await editor.sweep()).toMatchObject(nothing)
    expect(await storedKeys()).toHaveLength(1)
  })

  it('keeps a finalized file during unsavedGrace, and after its record is saved (F14)', async () => {
    const { editor, addPermanent, clock, storedKeys } = await open()
    await editor.references.rebuild([])
    const added = await addPermanent()
    clock.advance(6 * DAY)
    expect(await editor.sweep()).toMatchObject(nothing)
    await editor.references.set({ type: 'post', id: 1 }, image(added))
    clock.advance(100 * DAY)
    expect(await editor.sweep()).toMatchObject(nothing)
    expect(await storedKeys()).toEqual([keyOf(added)])
  })

  it('keeps files that a text mentions in any form (F13)', async () => {
    const { editor, addPermanent, clock, storedKeys } = await open()
    const [a, b, c, d] = [
      await addPermanent(),
      await addPermanent(),
      await addPermanent(),
      await addPermanent(),
    ]
    const text = `![a](${a.url} "t") [![t](/t.png)](${b.url}) <IMG SRC='${c.url}'> \`${d.url}\` [x](http://[::1/a)`
    await editor.references.set({ type: 'post', id: 1 }, text)
    clock.advance(365 * DAY)
    expect(await editor.sweep()).toMatchObject(nothing)
    expect(await storedKeys()).toHaveLength(4)
  })

  describe('an application that never calls references.set', () => {
    it('keeps its finalized files, and a dry run lists them', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const [a, b] = [await addPermanent(), await addPermanent()]
      expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([keyOf(a)])
      clock.advance(30 * DAY)
      const report = {
        ...nothing,
        neverReferenced: 1,
        stopped: null,
        items: [{ kind: 'never_referenced', id: b.id, key: keyOf(b) }],
      }
      expect(await editor.sweep({ dryRun: true })).toMatchObject(report)
      expect(await editor.sweep()).toMatchObject({ ...nothing, items: [] })
      expect(await storedKeys()).toEqual([keyOf(b)])
    })

    it('loses its never-saved files after a rebuild of all references', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      await editor.references.rebuild([])
      await addPermanent()
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject({ ...nothing, unsaved: 1 })
      expect(await storedKeys()).toEqual([])
    })

    it('keeps never-saved files if the rebuild reads no records', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      await addPermanent()
      const rebuilt = await editor.references.rebuild([])
      expect(rebuilt).toMatchObject({ records: 0, recorded: false })
      expect(await editor.check()).toMatchObject({ lastRebuild: null })
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject(nothing)
      expect(await storedKeys()).toHaveLength(1)
    })

    it('keeps never-saved files until a rebuild of all references', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const old = await addPermanent()
      clock.advance(DAY)
      const saved = await addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, image(saved))
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject(nothing)
      expect(await editor.sweep({ dryRun: true })).toMatchObject({
        ...nothing,
        neverReferenced: 1,
        items: [{ kind: 'never_referenced', id: old.id }],
      })
      await editor.references.rebuild(
        Promise.resolve([{ type: 'post', id: 1, texts: image(saved) }]),
      )
      expect(await editor.sweep()).toMatchObject({ ...nothing, unsaved: 1 })
      expect(await storedKeys()).toEqual([keyOf(saved)])
    })
  })

  describe('without unsavedGrace', () => {
    const texts = (body: string) => ({ type: 'post', id: 1, texts: { body } })

    it('keeps a never-referenced file, even after a rebuild', async () => {
      const opened = await openDefault()
      const { editor, clock, logged } = opened
      const [never, saved] = [await opened.addPermanent(), await opened.addPermanent()]
      await editor.references.set({ type: 'post', id: 1 }, { body: image(saved) })
      await editor.references.rebuild([texts(image(saved))])
      clock.advance(1000 * DAY)
      expect(await editor.sweep()).toMatchObject({
        ...nothing,
        items: [],
      })
      expect((await opened.get(never.url)).status).toBe(200)
      expect(logged).toEqual([])
    })

    it('still deletes a file that loses its last reference, even if an untracked text mentions it', async () => {
      const opened = await openDefault()
      const { editor } = opened
      const { url, id } = await opened.addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, { body: url })
      // Assume that the application has copied the text into a table that is not tracked.
      await editor.references.set({ type: 'post', id: 1 }, { body: 'bye' })
      expect(await editor.media.get(id)).toMatchObject({ state: 'deleted', reason: 'orphaned' })
    })

    it('keeps the file of a promotion that was interrupted long ago', async () => {
      const database = openDatabase('sqlite::memory:')
      cleanups.push(database.close)
      const opened = await openDefault({}, { database: database.kysely })
      await opened.editor.references.rebuild([])
      const { url } = await opened.upload('a.png', png())
      const key = keyOfUrl(url.replace('/tmp/', '/uploads/2026/03/'))
      await change(database, `state = 'promoting', permanent_key = '${key}'`, idOf(url))
      opened.clock.advance(30 * DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 1 })
      expect(await opened.storedKeys()).toEqual([key])
    })

    it('lists never-referenced files in dry runs and checks one day after finalizing', async () => {
      const opened = await openDefault()
      const { editor, clock } = opened
      const size = png().byteLength
      const [one, other, saved] = [
        await opened.addPermanent(),
        await opened.addPermanent(),
        await opened.addPermanent(),
      ]
      await editor.references.set({ type: 'post', id: 1 }, { body: image(saved) })
      clock.advance(DAY - 1)
      expect(await editor.sweep({ dryRun: true })).toMatchObject({
        neverReferenced: 0,
        items: [],
      })
      expect(await editor.check()).toMatchObject({
        neverReferenced: { count: 0, bytes: 0, items: [] },
      })
      clock.advance(1)
      const items = [one, other]
        .map((file) => ({ id: file.id, key: keyOf(file), size }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
      const planned = await editor.sweep({ dryRun: true })
      expect(planned).toMatchObject({
        ...nothing,
        neverReferenced: 2,
      })
      expect(planned.items).toEqual(items.map((item) => ({ kind: 'never_referenced', ...item })))
      expect((await editor.check()).neverReferenced).toEqual({ count: 2, bytes: 2 * size, items })
    })
  })
})
