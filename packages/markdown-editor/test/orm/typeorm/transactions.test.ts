import type { Storage } from '@quillgate/markdown-editor'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { image } from '../../editor-fixture.ts'
import { openTypeorm, Post, type TypeormFixture } from './fixture.ts'

// The promises of Shrine (Ruby) and Active Storage (Rails) about transactions that the suite of all
// ORM libraries does not test. A comment above a test links to or quotes the source.

let opened: TypeormFixture
beforeEach(async () => {
  opened = await openTypeorm(sqliteEngine())
})
afterEach(() => opened.close())

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

describe('transactions of TypeORM', () => {
  // https://shrinerb.com/docs/advantages#security: "outside of a database transaction"
  it('does not call the storage while the transaction of a record is open', async () => {
    const { posts, dataSource, storage, addPermanent, storedKeys } = opened
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

  it('deletes the file of a deleted record only after the commit', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = opened
    const added = await addPermanent()
    const post = await posts.save({ title: 'one', body: image(added) })
    await dataSource.transaction(async (manager) => {
      await manager.remove(Post, post)
      expect(await storedKeys()).toEqual([added.key])
    })
    expect(await storedKeys()).toEqual([])
  })

  // activestorage/test/models/attached: "nested and repeated saves upload only surviving blobs at the outer commit"
  it('applies only the last of several saves in nested transactions, at the outer commit', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = opened
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
    const { posts, dataSource, editor, addPermanent, storedKeys } = opened
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
    const { posts, dataSource, editor, addPermanent, storedKeys } = opened
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
    const { posts, dataSource, editor, addPermanent, storedKeys } = opened
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
    const { posts, addPermanent, storedKeys } = opened
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
    const { posts, storage, editor, addPermanent, storedKeys } = opened
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

  // Rails guide, "Form Validation": a form that is shown again contains the signed ids of uploads
  it('keeps the uploaded file of a form that fails and is sent again', async () => {
    const { posts, editor, addPermanent, storedKeys } = opened
    await posts.save({ title: 'taken' })
    const added = await addPermanent()
    await expect(posts.save({ title: 'taken', body: image(added) })).rejects.toThrow()
    expect(await editor.finalize(image(added), { owner: { id: 'ada' } })).toMatchObject({
      text: image(added),
      missing: [],
    })
    await posts.save({ title: 'free', body: image(added) })
    expect(await storedKeys()).toEqual([added.key])
  })
})
