import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { idOf, image, keyOf, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

// The promises of Shrine (Ruby) about promoting a file, applied to files that texts mention. A
// comment above a test links to or quotes the source.

const ada = { owner: { id: 'ada' } }

const { open } = useEditors()

describe('promoting a file', () => {
  // https://shrinerb.com/docs/plugins/atomic_helpers#promoting
  it('deletes the promoted copy if the file is deleted during promotion, and reports the file as missing', async () => {
    const storage = memoryStorage()
    const { editor, upload, storedKeys } = await open({}, { storage })
    const added = await upload('a.png', png())
    const { copy } = storage
    // After the copy has read the source, another request promotes and removes the file.
    storage.copy = async (from, to) => {
      storage.copy = copy
      const bytes = await new Response((await storage.read(from))?.body).bytes()
      await editor.finalize(image(added), ada)
      await editor.media.remove(idOf(added.url))
      await storage.write(to, ReadableStream.from([bytes]), { type: 'image/png' })
      return true
    }
    expect(await editor.finalize(image(added), ada)).toMatchObject({
      replacements: {},
      missing: [added.url],
    })
    expect(await storedKeys()).toEqual([])
  })

  // https://shrinerb.com/docs/plugins/backgrounding: the job rescues "attachment has changed or record has been deleted"
  it('ignores a promotion after the file is removed', async () => {
    const { editor, upload, storedKeys } = await open()
    const added = await upload('a.png', png())
    await editor.media.remove(idOf(added.url))
    expect(await editor.finalize(image(added), ada)).toMatchObject({
      replacements: {},
      missing: [added.url],
    })
    expect(await storedKeys()).toEqual([])
  })

  // https://shrinerb.com/docs/attacher#assignment: "#assign doesn't accept files uploaded to permanent storage"
  it('gives no control over a permanent file to a user who mentions it, and does not move the file', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const added = await addPermanent()
    const eve = { id: 'eve' }
    expect(await editor.finalize(image(added), { owner: eve })).toMatchObject({
      text: image(added),
      replacements: {},
    })
    await editor.references.set({ type: 'post', id: 'of ada' }, image(added), {
      actor: { id: 'ada' },
    })
    await editor.references.set({ type: 'post', id: 'of eve' }, image(added), { actor: eve })
    await editor.references.set({ type: 'post', id: 'of eve' }, '', { actor: eve })
    expect(await editor.deleteOrphanedMedia(image(added), '', { actor: eve })).toEqual([])
    expect(await storedKeys()).toEqual([keyOf(added)])
  })

  // https://shrinerb.com/docs/plugins/cached_attachment_data
  it('keeps the file of a form that is shown again after an error', async () => {
    const { editor, upload, get } = await open()
    const added = await upload('a.png', png())
    // The first submit was finalized but not saved. The form still has the temporary URL.
    const first = await editor.finalize(image(added), ada)
    const shown = await get(added.url)
    expect([shown.status, shown.headers.get('location')]).toEqual([
      302,
      first.replacements[added.url],
    ])
    expect(await editor.finalize(image(added), ada)).toEqual(first)
    expect(await editor.references.set({ type: 'post', id: 1 }, first.text)).toMatchObject({
      missing: [],
    })
  })

  // https://shrinerb.com/docs/plugins/restore_cached_data: "re-extracts metadata ... on the server side"
  it('derives the metadata of a file from its bytes, not from what a client claims later', async () => {
    const { editor, upload, get } = await open()
    const { url } = await upload('a.png', png(7))
    for (const claimed of [url.replace('.png', '.html'), url.replace('a.png', 'b.svg')]) {
      expect((await get(claimed)).status).toBe(404)
      const { replacements } = await editor.finalize(`![a](${claimed})`, ada)
      const served = await get(replacements[claimed] ?? '')
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
    }
    expect(await editor.media.get(idOf(url))).toMatchObject({
      type: 'image/png',
      width: 7,
      height: 1,
      size: png(7).length,
    })
  })

  // https://shrinerb.com/docs/getting-started#location: "there should always be a random component in the location"
  it('stores two files of the same name separately', async () => {
    const { editor, upload, storedKeys } = await open()
    const both = [await upload('a.png', png(1)), await upload('a.png', png(2))]
    const { text } = await editor.finalize(both.map(image).join(' '), ada)
    expect(new Set(text.split(' ')).size).toBe(2)
    const sizes = await Promise.all(
      both.map(async ({ url }) => (await editor.media.get(idOf(url)))?.width),
    )
    expect(sizes).toEqual([1, 2])
    expect(await storedKeys()).toHaveLength(2)
  })
})
