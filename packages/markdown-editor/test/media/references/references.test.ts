import { openDatabase } from '@quillgate/server/database'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { DAY, image, keyOf, png } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

const { open } = useEditors()

describe('editor.references', () => {
  it('orphans immediately, and deletes after the grace period', async () => {
    const { editor, addPermanent, get, storedKeys, clock } = await open({ orphanGrace: 86_400 })
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await editor.references.set({ type: 'post', id: 1 }, '')
    expect((await get(a.url)).status).toBe(404)
    expect(await storedKeys()).toEqual([keyOf(a)])
    clock.advance(DAY - 1)
    expect(await editor.sweep()).toMatchObject({ orphaned: 0 })
    clock.advance(1)
    expect(await editor.sweep()).toMatchObject({ orphaned: 1 })
    expect(await storedKeys()).toEqual([])
  })

  it('restores an orphan that is referenced again', async () => {
    const { editor, addPermanent, get, clock } = await open({ orphanGrace: 86_400 })
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await editor.references.set({ type: 'post', id: 1 }, '')
    await editor.references.set({ type: 'post', id: 2 }, image(a))
    expect((await get(a.url)).status).toBe(200)
    clock.advance(10 * DAY)
    expect(await editor.sweep()).toMatchObject({ orphaned: 0, unsettled: 0 })
  })

  it('restarts the grace period of an orphan that was restored in between', async () => {
    const { editor, addPermanent, clock } = await open({ orphanGrace: 86_400 })
    const a = await addPermanent()
    for (const text of [image(a), '', image(a)])
      await editor.references.set({ type: 'post', id: 1 }, text)
    clock.advance(DAY / 2)
    await editor.references.set({ type: 'post', id: 1 }, '')
    clock.advance(DAY / 2 + 1)
    expect(await editor.sweep()).toMatchObject({ orphaned: 0 })
  })

  it('removes the references of a deleted record', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, { body: image(a) })
    expect(await editor.references.remove({ type: 'post', id: 1 })).toMatchObject({
      removed: [a.id],
    })
    expect(await storedKeys()).toEqual([])
  })

  it('does not delete a never-referenced file if its id is settled by mistake', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    expect(await editor.references.settle([a.id, 'nonsense'])).toEqual([])
    expect(await storedKeys()).toEqual([keyOf(a)])
  })

  it('rejects a wrong actor before it changes a file', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    const record = { type: 'post', id: 1 }
    await editor.references.set(record, { body: image(a) })
    const invalid = { code: 'invalid_user', status: 500 }
    for (const actor of [{ label: '' }, 'ada'] as never[]) {
      await expect(editor.references.settle([a.id], { actor })).rejects.toMatchObject(invalid)
      await expect(editor.references.set(record, '', { actor })).rejects.toMatchObject(invalid)
    }
    expect(await editor.references.set(record, '')).toMatchObject({ removed: [a.id] })
    expect(await storedKeys()).toEqual([])
  })

  it("writes in the record's own transaction, and settles after its commit", async () => {
    const database = openDatabase('sqlite::memory:')
    const { editor, addPermanent, storedKeys } = await open({}, { database: database.kysely })
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, { body: image(a) })
    const { removed } = await database.transaction((trx) =>
      editor.references.set({ type: 'post', id: 1 }, { body: '' }, { tx: database.executor(trx) }),
    )
    expect(removed).toEqual([a.id])
    expect(await storedKeys()).toEqual([keyOf(a)])
    expect(await editor.references.settle(removed, { actor: { id: 'ada' } })).toEqual([keyOf(a)])
    expect(await editor.media.get(a.id)).toMatchObject({
      state: 'deleted',
      reason: 'orphaned',
      actor: 'user:ada',
    })
    await database.close()
  })

  it.each(['the marker of the storage', 'a table of the installation'])(
    'does not fail a committed save if %s cannot be read',
    async (what) => {
      const database = openDatabase('sqlite::memory:')
      const storage = memoryStorage()
      const { editor, addPermanent, storedKeys, logged } = await open(
        {},
        { database: database.kysely, storage },
      )
      const a = await addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, image(a))
      const { read } = storage
      const rename = (from: string, to: string) =>
        database.executor(database.kysely).execute(`ALTER TABLE ${from} RENAME TO ${to}`)
      if (what.includes('table')) await rename('quillgate_media_meta', 'away')
      else storage.read = () => Promise.reject(new Error('out of order'))
      expect(await editor.references.set({ type: 'post', id: 1 }, '')).toMatchObject({
        removed: [a.id],
      })
      expect(await editor.references.settle([a.id])).toEqual([])
      expect(logged.join()).toContain('The next sweep will update them')
      if (what.includes('table')) await rename('away', 'quillgate_media_meta')
      storage.read = read
      expect(await editor.sweep()).toMatchObject({ unsettled: 1, orphaned: 1 })
      expect(await storedKeys()).toEqual([])
      await database.close()
    },
  )

  it('lets the sweep settle the changes of a killed process', async () => {
    const database = openDatabase('sqlite::memory:')
    const { editor, addPermanent, storedKeys } = await open({}, { database: database.kysely })
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await database.transaction((trx) =>
      editor.references.remove({ type: 'post', id: 1 }, { tx: database.executor(trx) }),
    )
    expect(await editor.sweep()).toMatchObject({ unsettled: 1, orphaned: 1 })
    expect(await storedKeys()).toEqual([])
    await database.close()
  })

  it('rejects a save in a transaction before the editor is ready', async () => {
    const database = openDatabase('sqlite::memory:')
    const { editor } = await open({}, { database: database.kysely, ready: false })
    const saved = database.transaction((trx) =>
      editor.references.set({ type: 'post', id: 1 }, 'x', { tx: database.executor(trx) }),
    )
    await expect(saved).rejects.toMatchObject({ code: 'not_ready' })
    await database.close()
  })

  it('rejects a save inside a transaction that was not passed', async () => {
    const database = openDatabase('sqlite::memory:')
    const { editor, addPermanent } = await open({}, { database: database.kysely })
    const text = image(await addPermanent())
    const saved = database.transaction(() => editor.references.set({ type: 'post', id: 1 }, text))
    await expect(saved).rejects.toMatchObject({ code: 'transaction_misuse' })
    await database.close()
  })

  it('protects a temporary file beyond its age if a saved record mentions it', async () => {
    const { editor, upload, clock, storedKeys } = await open()
    const { url } = await upload('a.png', png())
    expect(await editor.references.set({ type: 'post', id: 1 }, `![a](${url})`)).toMatchObject({
      missing: [],
    })
    clock.advance(3 * DAY)
    expect(await editor.sweep()).toMatchObject({ expired: 0 })
    const { text } = await editor.finalize(`![a](${url})`, { owner: { id: 'ada' } })
    await editor.references.set({ type: 'post', id: 1 }, text)
    clock.advance(30 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(1)
    await editor.references.remove({ type: 'post', id: 1 })
    expect(await storedKeys()).toEqual([])
  })
})
