import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { DAY, image, keyOf, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

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

  it('keeps files that another record references (F16) or, if no record is passed, any record', async () => {
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
    expect(logged.join()).toContain('The next sweep will try again')
    storage.remove = remove
    expect(await editor.sweep()).toMatchObject({ interrupted: 1 })
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
    ['ada'], // Could be a user id. A label has all permissions and must be an object.
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
