import { createHash } from 'node:crypto'
import type { Storage } from '@quillgate/markdown-editor'
import {
  DefaultUploadHandler,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'
import { sqliteEngine } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { idOf, keyOfUrl, png } from '../editor-fixture.ts'
import { openTypeorm, Post, type TypeormFixture } from '../orm/typeorm/fixture.ts'
import { useEditors } from '../use-editors.ts'

// The promises of Shrine (Ruby) and Active Storage (Rails) about promotion, purging and rollback,
// applied to files that texts reference. Each test names the promise. A comment above a test
// links to or quotes the source.

const ada = { owner: { id: 'ada' } }
const DAY = 86_400_000

const { cleanups, open } = useEditors()

async function openRecords(): Promise<TypeormFixture> {
  const opened = await openTypeorm(sqliteEngine())
  cleanups.push(opened.close)
  return opened
}

const image = ({ url }: { readonly url: string }): string => `![a](${url})`
const keyOf = ({ url }: { readonly url: string }): string => keyOfUrl(url)
const rollback = new Error('rollback')

function recordCalls(storage: Storage): string[] {
  const calls: string[] = []
  for (const name of ['write', 'copy', 'remove', 'read'] as const) {
    const original = storage[name] as (...args: unknown[]) => unknown
    Object.assign(storage, {
      [name]: (...args: unknown[]) => {
        calls.push(name)
        return original.apply(storage, args)
      },
    })
  }
  return calls
}

describe('Shrine, promotion', () => {
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

  // https://shrinerb.com/docs/plugins/backgrounding: failed jobs are retried
  it('retries a failed promotion, and keeps the temporary copy until then', async () => {
    const storage = memoryStorage()
    const { editor, upload, storedKeys } = await open({}, { storage })
    const added = await upload('a.png', png())
    const { copy } = storage
    storage.copy = () => Promise.reject(new Error('out of order'))
    await expect(editor.finalize(image(added), ada)).rejects.toThrow('out of order')
    expect(await storedKeys()).toEqual([keyOf(added)])
    storage.copy = copy
    expect((await editor.finalize(image(added), ada)).missing).toEqual([])
    expect(await storedKeys()).toHaveLength(1)
  })

  // https://shrinerb.com/docs/advantages#security: "outside of a database transaction"
  it('does not call the storage while the transaction of a record is open', async () => {
    const { posts, dataSource, storage, addPermanent, storedKeys } = await openRecords()
    const [before, after] = [await addPermanent(), await addPermanent()]
    const { id } = await posts.save({ title: 'one', body: image(before) })
    const calls = recordCalls(storage)
    await dataSource.transaction(async (manager) => {
      await manager.save(Post, { id, body: image(after) })
      await manager.findBy(Post, { title: 'none' })
      expect(calls).toEqual([])
    })
    expect(calls).toContain('remove')
    expect(await storedKeys()).toEqual([after.key])
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

  // https://shrinerb.com/docs/plugins/remove_invalid
  it('deletes a file that fails validation', async () => {
    class Picky extends DefaultUploadHandler {
      override validate(): void {
        throw new ValidationError('No.')
      }
    }
    const { upload, storedKeys } = await open({}, { uploadHandler: new Picky() })
    await expect(upload('a.png', png())).rejects.toThrow('validation_error')
    expect(await storedKeys()).toEqual([])
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

  // https://shrinerb.com/docs/advantages#security: temporary storage can be cleared separately
  it('keeps permanent files when unattached files are removed', async () => {
    const { editor, upload, addPermanent, clock, storedKeys } = await open()
    const permanent = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(permanent))
    await upload('a.png', png())
    clock.advance(2 * DAY)
    expect(await editor.sweep()).toMatchObject({ expired: 1 })
    expect(await storedKeys()).toEqual([keyOf(permanent)])
  })
})

describe('Shrine, deletion', () => {
  // https://shrinerb.com/docs/plugins/activerecord#after-save, #after-destroy
  it('deletes a replaced file only after the commit', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = await openRecords()
    const [before, after] = [await addPermanent(), await addPermanent()]
    const { id } = await posts.save({ title: 'one', body: image(before) })
    await dataSource.transaction(async (manager) => {
      await manager.save(Post, { id, body: image(after) })
      expect(await storedKeys()).toEqual([before.key, after.key].sort())
    })
    expect(await storedKeys()).toEqual([after.key])
  })

  it('deletes the file of a deleted record only after the commit', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const post = await posts.save({ title: 'one', body: image(added) })
    await dataSource.transaction(async (manager) => {
      await manager.remove(Post, post)
      expect(await storedKeys()).toEqual([added.key])
    })
    expect(await storedKeys()).toEqual([])
  })

  // https://shrinerb.com/docs/plugins/keep_files
  it('can keep files when records replace or lose them', async () => {
    const { editor, addPermanent, clock, storedKeys } = await open({ cleanupMedia: false })
    const added = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(added))
    await editor.references.remove({ type: 'post', id: 1 })
    expect(await editor.deleteOrphanedMedia(image(added), '')).toEqual([])
    clock.advance(365 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toEqual([keyOf(added)])
  })
})

describe('Active Storage, transactions', () => {
  // activestorage/test/models/attached: "nested and repeated saves upload only surviving blobs at the outer commit"
  it('applies only the last of several saves in nested transactions, at the outer commit', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = await openRecords()
    const [original, superseded, last] = [
      await addPermanent(),
      await addPermanent(),
      await addPermanent(),
    ]
    const { id } = await posts.save({ title: 'one', body: image(original) })
    await dataSource.transaction(async (outer) => {
      await outer.save(Post, { id, body: image(superseded) })
      await outer.transaction(
        async (inner) => void (await inner.save(Post, { id, body: image(last) })),
      )
      expect(await storedKeys()).toHaveLength(3)
    })
    expect(await storedKeys()).toEqual([last.key])
  })

  // "outer rollback restores rows and retains replacement assignments for retry"
  it('keeps the old and the new file after a rollback, so that the save can be repeated', async () => {
    const { posts, dataSource, editor, addPermanent, storedKeys } = await openRecords()
    const [before, after] = [await addPermanent(), await addPermanent()]
    const { id } = await posts.save({ title: 'one', body: image(before) })
    const failed = dataSource.transaction(async (manager) => {
      await manager.save(Post, { id, body: image(after) })
      throw rollback
    })
    await expect(failed).rejects.toBe(rollback)
    expect(await storedKeys()).toEqual([before.key, after.key].sort())
    expect((await editor.media.get(after.id))?.referencedAt).toBeNull()
    await posts.save({ id, body: image(after) })
    expect(await storedKeys()).toEqual([after.key])
  })

  // "destroy rollback restores owner persistence and rows before rollback callbacks"
  it('keeps the file and its reference after a deletion is rolled back', async () => {
    const { posts, dataSource, editor, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const post = await posts.save({ title: 'one', body: image(added) })
    const failed = dataSource.transaction(async (manager) => {
      await manager.remove(Post, post)
      throw rollback
    })
    await expect(failed).rejects.toBe(rollback)
    expect(await storedKeys()).toEqual([added.key])
    await expect(editor.media.remove(added.id)).rejects.toMatchObject({ code: 'media_in_use' })
  })

  // "new owner rollback retains assigned identities without reusing them"
  it('leaves the file of a rolled-back new record unsaved, and can save it again', async () => {
    const { posts, dataSource, editor, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const failed = dataSource.transaction(async (manager) => {
      await manager.save(Post, { title: 'one', body: image(added) })
      throw rollback
    })
    await expect(failed).rejects.toBe(rollback)
    expect(await editor.media.get(added.id)).toMatchObject({
      state: 'permanent',
      referencedAt: null,
    })
    const post = await posts.save({ title: 'one', body: image(added) })
    expect((await editor.media.get(added.id))?.referencedAt).not.toBeNull()
    await posts.remove(post)
    expect(await storedKeys()).toEqual([])
  })

  // "a later owner failure rolls back every participant and permits retry"
  it('keeps the files of all records when one of them fails', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const [first, second] = [await addPermanent(), await addPermanent()]
    const one = await posts.save({ title: 'one', body: image(first) })
    const two = await posts.save({ title: 'two', body: image(second) })
    const both = [
      { id: one.id, body: '' },
      { id: two.id, title: 'one', body: '' },
    ]
    await expect(posts.save(both)).rejects.toThrow()
    expect(await storedKeys()).toEqual([first.key, second.key].sort())
    await posts.save([
      { id: one.id, body: '' },
      { id: two.id, body: '' },
    ])
    expect(await storedKeys()).toEqual([])
  })

  // "commit callbacks run outside the transaction and cannot roll back committed rows"
  it('does not fail a save if the storage fails after the commit, and lets the sweep finish', async () => {
    const { posts, storage, editor, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const { id } = await posts.save({ title: 'one', body: image(added) })
    const { remove } = storage
    storage.remove = () => Promise.reject(new Error('out of order'))
    await posts.save({ id, body: '' })
    expect((await posts.findOneByOrFail({ id })).body).toBe('')
    expect(await storedKeys()).toEqual([added.key])
    storage.remove = remove
    await editor.sweep()
    expect(await storedKeys()).toEqual([])
  })
})

describe('Active Storage, purging', () => {
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

  // has_one_attached: "the attachment will be purged whenever the record is destroyed" (dependent: :purge_later)
  it('deletes the files of a deleted record unless another record references them', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const [own, shared] = [await addPermanent(), await addPermanent()]
    const first = await posts.save({ title: 'one', body: image(own), summary: image(shared) })
    await posts.save({ title: 'two', body: image(shared) })
    await posts.remove(first)
    expect(await storedKeys()).toEqual([shared.key])
  })

  // Rails guide, "Purging Unattached Uploads": the example there deletes uploads after two days
  it('deletes unattached uploads only after their grace period', async () => {
    const { editor, upload, addPermanent, clock, storedKeys } = await open({
      unsavedGrace: 7 * 86_400,
    })
    await editor.references.rebuild([])
    await editor.references.set({ type: 'post', id: 1 }, image(await addPermanent()))
    await upload('a.png', png())
    await addPermanent()
    clock.advance(DAY - 1000)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(3)
    clock.advance(2000)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(2)
    clock.advance(7 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(1)
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

describe('Active Storage, blobs', () => {
  // Rails guide, "Authenticated Controllers": "a plain signed_id, making them hard to guess"
  it('uses URLs that cannot be guessed or altered to reach another file', async () => {
    const { addPermanent, upload, get } = await open()
    const [permanent, temporary] = [await addPermanent(), await upload('b.png', png())]
    const id = idOf(permanent.url)
    for (const url of [
      permanent.url.replace(id, idOf(temporary.url)),
      permanent.url.replace(id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`),
      temporary.url.replace('/tmp/', '/uploads/2026/03/'),
      permanent.url.replace('a.png', 'b.png'),
      permanent.url.replace('/uploads/', '/uploads%2f'),
    ]) {
      expect((await get(url)).status).toBe(404)
    }
  })

  // Rails guide, "Form Validation": a form that is shown again contains the signed ids of uploads
  it('keeps the uploaded file of a form that fails and is sent again', async () => {
    const { posts, editor, addPermanent, storedKeys } = await openRecords()
    await posts.save({ title: 'taken' })
    const added = await addPermanent()
    await expect(posts.save({ title: 'taken', body: image(added) })).rejects.toThrow()
    expect(await editor.finalize(image(added), ada)).toMatchObject({
      text: image(added),
      missing: [],
    })
    await posts.save({ title: 'free', body: image(added) })
    expect(await storedKeys()).toEqual([added.key])
  })

  // Rails guide, "Validating Attachment Metadata": metadata is extracted before validation
  it('passes the size of an image to validation', async () => {
    const seen: unknown[] = []
    class Curious extends DefaultUploadHandler {
      override validate({ type, width, height }: UploadedFile): void {
        seen.push({ type, width, height })
      }
    }
    const { upload } = await open({}, { uploadHandler: new Curious() })
    await upload('a.png', png(9))
    expect(seen).toEqual([{ type: 'image/png', width: 9, height: 1 }])
  })

  // ActiveStorage::IntegrityError: the bytes differ from the uploaded ones
  it('serves the uploaded bytes, and finds lost or damaged ones', async () => {
    const { editor, storage, addPermanent, get } = await open()
    const [whole, torn, lost] = [await addPermanent(), await addPermanent(), await addPermanent()]
    const { checksum } = (await editor.media.get(whole.id)) ?? {}
    const served = await (await get(whole.url)).bytes()
    expect(createHash('sha256').update(served).digest('hex')).toBe(checksum)
    await storage.remove(keyOf(torn))
    await storage.write(keyOf(torn), ReadableStream.from([png().subarray(0, 40)]), {
      type: 'image/png',
    })
    await storage.remove(keyOf(lost))
    const report = JSON.stringify(await editor.check())
    expect([whole, torn, lost].map(({ id }) => report.includes(id))).toEqual([false, true, true])
  })

  // ActiveStorage::FileNotFoundError
  it('answers 404 to a file whose bytes are lost, and logs an error', async () => {
    const { storage, addPermanent, get, logged } = await open()
    const added = await addPermanent()
    await storage.remove(keyOf(added))
    expect((await get(added.url)).status).toBe(404)
    expect(logged).toHaveLength(1)
  })

  // Configuration: content_types_to_serve_as_binary, content_types_allowed_inline
  it('rejects types that browsers execute, and downloads types that they cannot display', async () => {
    const { editor, request, get } = await open()
    const send = (type: string, content: string): Promise<Response> => {
      const body = new FormData()
      body.append('file', new File([content], 'a', { type }))
      return request('POST', editor.url('upload'), { body })
    }
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/javascript',
      'application/xhtml+xml',
    ]) {
      expect((await send(type, '<svg/>')).status).toBe(415)
    }
    const { url } = (await (await send('text/plain', 'hello')).json()) as { url: string }
    expect((await get(url)).headers.get('content-disposition')).toMatch(/^attachment;/)
  })
})
