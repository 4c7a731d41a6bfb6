import { openDatabase } from '@quillgate/server/database'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { keyOfUrl, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

const image = ({ url }: { url: string }): string => `![a](${url})`
const keyOf = ({ url }: { url: string }): string => keyOfUrl(url)
const DAY = 86_400_000

describe('editor.deleteOrphanedMedia', () => {
  it('immediately deletes files that the new text no longer contains, and returns their storage paths', async () => {
    const { editor, addPermanent, storedKeys } = await open({ orphanGrace: 86_400 })
    const [a, b] = [await addPermanent(), await addPermanent()]
    expect(
      await editor.deleteOrphanedMedia(image(a) + image(b), image(b), { actor: { id: 'ada' } }),
    ).toEqual([keyOf(a)])
    expect(await storedKeys()).toEqual([keyOf(b)])
    expect(await editor.media.get(a.id)).toMatchObject({
      state: 'deleted',
      reason: 'orphaned',
      actor: 'user:ada',
    })
    expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
  })

  it.each([
    ['a title (F12)', (url: string) => `![a](${url} "t")`],
    ['angle brackets (F12)', (url: string) => `![a](<${url}>)`],
    ['a reference (F12)', (url: string) => `![a][i]\n\n[i]: ${url}`],
    ['an unused definition (F12)', (url: string) => `[i]: ${url}`],
    ['single quotes (F12)', (url: string) => `<img src='${url}'>`],
    ['a query (F12)', (url: string) => `![a](${url}?v=2)`],
    ['an absolute URL (F12)', (url: string) => `![a](https://example.com${url})`],
    ['a linked image (F12)', (url: string) => `[![t](/t.png)](${url})`],
    ['a code sample', (url: string) => `\`${url}\``],
    ['an HTML comment', (url: string) => `<!-- ${url} -->`],
    ['percent-encoding', (url: string) => url.replace('/m', '/%6d')],
    ['an anchor', (url: string) => `<a href="${url}">a</a>`],
  ])('keeps a file that the new text mentions with %s', async (_name, text) => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    expect(await editor.deleteOrphanedMedia(image(a), text(a.url))).toEqual([])
    expect(await storedKeys()).toEqual([keyOf(a)])
  })

  it.each([
    ['another host (F8)', (url: string) => `![a](https://other.example${url})`],
    ['a code span', (url: string) => `\`${image({ url })}\``],
    ['a query', (url: string) => `[x](https://e.example/?u=${url})`],
    ['the folder (F24)', (url: string) => `[x](${url.slice(0, url.lastIndexOf('/') + 1)})`],
    [
      'dot segments (F9)',
      (url: string) => `[x](${url.replace('uploads/', 'uploads/../uploads/')})`,
    ],
    [
      'a sibling folder (F9)',
      (url: string) => `[x](${url.replace('uploads/', 'uploads/../uploads-private/')})`,
    ],
  ])('deletes nothing because of %s in the old text', async (_name, text) => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    expect(await editor.deleteOrphanedMedia(text(a.url), '')).toEqual([])
    expect(await storedKeys()).toEqual([keyOf(a)])
  })

  it('never throws for a malformed URL (F23), and treats null as an empty text', async () => {
    const { editor, addPermanent } = await open()
    const a = await addPermanent()
    expect(await editor.deleteOrphanedMedia(`[x](http://[::1/a) ${image(a)}`, null)).toEqual([
      keyOf(a),
    ])
    expect(await editor.deleteOrphanedMedia(null, null)).toEqual([])
    await expect(editor.deleteOrphanedMedia(7 as never, '')).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  it('keeps files that another record references (F16), or the record itself if it is not passed', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await editor.references.set({ type: 'post', id: 2 }, image(a))
    const record = { type: 'post', id: 1 }
    expect(await editor.deleteOrphanedMedia(image(a), '', { record })).toEqual([])
    expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
    expect(
      await editor.deleteOrphanedMedia(image(a), '', { record: { type: 'post', id: 2 } }),
    ).toEqual([keyOf(a)])
    expect(await storedKeys()).toEqual([])
  })

  it('keeps files that another field of the record references (F16)', async () => {
    const { editor, addPermanent } = await open()
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, { body: image(a), summary: image(a) })
    const record = { type: 'post', id: 1 }
    expect(await editor.deleteOrphanedMedia(image(a), '', { record })).toEqual([])
    expect(
      await editor.deleteOrphanedMedia(image(a), '', { record: { ...record, field: 'body' } }),
    ).toEqual([])
    expect(
      await editor.deleteOrphanedMedia(image(a), '', { record: { ...record, field: 'summary' } }),
    ).toEqual([keyOf(a)])
  })

  it('assumes that the text belongs to the only field that references the file', async () => {
    const { editor, addPermanent } = await open()
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, { body: image(a), summary: '' })
    await editor.references.set({ type: 'post', id: 2 }, { body: image(a) })
    const [first, second] = [1, 2].map((id) => ({ type: 'post', id }))
    expect(await editor.deleteOrphanedMedia(image(a), '', { record: first! })).toEqual([])
    expect(await editor.deleteOrphanedMedia(image(a), '', { record: second! })).toEqual([keyOf(a)])
  })

  it('ignores temporary files', async () => {
    const { editor, upload, storedKeys } = await open()
    const { url } = await upload('a.png', png())
    expect(await editor.deleteOrphanedMedia(`![a](${url})`, '')).toEqual([])
    expect(await storedKeys()).toHaveLength(1)
  })

  it('does nothing when cleanupMedia is false', async () => {
    const { editor, addPermanent, storedKeys } = await open({ cleanupMedia: false })
    const a = await addPermanent()
    expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await editor.references.set({ type: 'post', id: 1 }, '')
    await editor.sweep()
    expect(await storedKeys()).toEqual([keyOf(a)])
  })

  it('does not throw on a storage error, and does not report undeleted files as deleted', async () => {
    const storage = memoryStorage()
    const { editor, addPermanent, storedKeys, logged } = await open({}, { storage })
    const a = await addPermanent()
    const { remove } = storage
    storage.remove = async () => {
      throw new Error('out of order')
    }
    expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
    expect(logged.join()).toContain('the next sweep will try again')
    storage.remove = remove
    expect(await editor.sweep()).toMatchObject({ interrupted: 1 })
    expect(await storedKeys()).toEqual([])
  })
})

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
      expect(logged.join()).toContain('the next sweep will update them')
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

  it('says what to do when a record is saved before the editor is ready', async () => {
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

describe('editor.media', () => {
  it('moves a file to the trash and restores it', async () => {
    const { editor, addPermanent, get, clock } = await open({ orphanGrace: 86_400 })
    const a = await addPermanent()
    expect(await editor.media.remove(a.id, { actor: { label: 'tidy job' } })).toBe(true)
    expect((await get(a.url)).status).toBe(404)
    expect(await editor.media.get(a.id)).toMatchObject({
      state: 'orphaned',
      reason: 'removed',
      actor: 'tidy job',
    })
    expect(await editor.media.restore(a.id)).toBe(true)
    expect((await get(a.url)).status).toBe(200)
    clock.advance(6 * DAY)
    expect(await editor.sweep()).toMatchObject({ unsaved: 0, unsettled: 0, orphaned: 0 })
    expect(await editor.media.restore(a.id)).toBe(false)
  })

  it('does not remove a file that a record references', async () => {
    const { editor, addPermanent, get } = await open()
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    await expect(editor.media.remove(a.id)).rejects.toMatchObject({
      code: 'media_in_use',
      status: 409,
    })
    expect((await get(a.url)).status).toBe(200)
  })

  it('removes a temporary file immediately', async () => {
    const { editor, upload, storedKeys } = await open({ orphanGrace: 86_400 })
    const { url } = await upload('a.png', png())
    const id = /m[0-9a-z]{26}/.exec(url)?.[0] ?? ''
    expect(await editor.media.remove(id)).toBe(true)
    expect(await storedKeys()).toEqual([])
    expect(await editor.media.remove(id)).toBe(false)
    expect(await editor.media.restore(id)).toBe(false)
  })

  it.each([
    [''],
    ['ada'], // Would be taken for a label that may do everything, where ids of users are texts.
    [{}],
    [7],
    [{ label: '' }],
    [{ label: 'x'.repeat(256) }],
  ])('refuses %j as an actor', async (actor) => {
    const { editor, addPermanent } = await open()
    const { id } = await addPermanent()
    await expect(editor.media.remove(id, { actor: actor as never })).rejects.toMatchObject({
      code: 'invalid_user',
    })
  })

  it('returns nothing for unknown ids', async () => {
    const { editor } = await open()
    expect(await editor.media.get('nothing')).toBeNull()
    expect(await editor.media.remove('nothing')).toBe(false)
  })
})
