import { describe, expect, it } from 'vitest'
import { DAY, idOf, image, keyOf, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

// The promises of Active Storage (Rails) about purging, applied to files that texts mention. A
// comment above a test quotes the source.

const { open } = useEditors()

describe('purging files', () => {
  // ActiveStorage::Attachment: "A foreign-key constraint ... prevents blobs from being purged if they're still attached"
  it('does not delete a file that any record references', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    const added = await addPermanent()
    for (const id of [1, 2]) await editor.references.set({ type: 'post', id }, image(added))
    await editor.references.remove({ type: 'post', id: 1 })
    expect(await editor.deleteOrphanedMedia(image(added), '')).toEqual([])
    await expect(editor.media.remove(added.id)).rejects.toMatchObject({
      code: 'media_in_use',
      status: 409,
    })
    expect(await storedKeys()).toEqual([keyOf(added)])
    await editor.references.remove({ type: 'post', id: 2 })
    expect(await storedKeys()).toEqual([])
  })

  // ActiveStorage::PurgeJob: retried after a deadlock, discarded if the record no longer exists
  it('makes purging idempotent, concurrently and later', async () => {
    const deleted: string[] = []
    const { editor, upload, clock, storedKeys, logged } = await open(
      {},
      { onDeleted: ({ id }) => void deleted.push(id) },
    )
    const { url } = await upload('a.png', png())
    clock.advance(2 * DAY)
    await Promise.all([editor.sweep(), editor.sweep()])
    await editor.sweep()
    expect(await storedKeys()).toEqual([])
    expect(new Set(deleted)).toEqual(new Set([idOf(url)]))
    expect(logged).toEqual([])
  })

  // ActiveStorage::Service#delete: deleting a missing file is not an error
  it('purges a file whose bytes are already gone', async () => {
    const { editor, storage, addPermanent } = await open()
    const added = await addPermanent()
    await storage.remove(keyOf(added))
    expect(await editor.media.remove(added.id)).toBe(true)
    expect(await editor.media.get(added.id)).toMatchObject({ state: 'deleted', reason: 'removed' })
  })

  // ActiveStorage::Blob#purge: "Deletes the file on the service and then destroys the blob record"
  it('invalidates a URL as soon as its file is deleted, even if the bytes are still in the trash', async () => {
    const { editor, addPermanent, get, storedKeys } = await open({ orphanGrace: 86_400 })
    const added = await addPermanent()
    expect((await get(added.url)).status).toBe(200)
    expect(await editor.media.remove(added.id)).toBe(true)
    expect((await get(added.url)).status).toBe(404)
    expect(await storedKeys()).toEqual([keyOf(added)])
    expect(await editor.media.restore(added.id)).toBe(true)
    expect((await get(added.url)).status).toBe(200)
  })
})
