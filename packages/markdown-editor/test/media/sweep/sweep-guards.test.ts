import { openDatabase } from '@quillgate/server/database'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { DAY, image, png, type TestEditor } from '../../editor-fixture.ts'
import { nothing, useTrackingEditors, write } from './sweep-fixture.ts'

const { cleanups, open } = useTrackingEditors()

describe('guards of editor.sweep', () => {
  it('does not treat a permanent file as stray if the temporary folder now contains its folder', async () => {
    const storage = memoryStorage()
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
    const before = await open(
      { uploadPath: 'media/files/' },
      { storage, database: database.kysely },
    )
    const { url, id } = await before.addPermanent()
    await before.editor.references.set({ type: 'post', id: 1 }, url)
    const after = await open(
      { uploadPath: 'library/', tempUploadPath: 'media/' },
      { storage, database: database.kysely, clock: before.clock },
    )
    before.clock.advance(30 * DAY)
    expect(await after.editor.sweep()).toMatchObject(nothing)
    expect(await after.editor.check()).toMatchObject({
      damaged: { count: 0 },
      strays: { count: 0 },
    })
    expect(await after.editor.media.get(id)).toMatchObject({ state: 'permanent' })
  })

  it('keeps all files while the storage is unavailable', async () => {
    const storage = memoryStorage()
    const opened = await open({}, { storage })
    const { url } = await opened.upload('a.png', png())
    const { copy, stat, read } = storage
    Object.assign(storage, {
      copy: async () => false,
      stat: async () => null,
      read: async () => null,
    })
    expect((await opened.finalize(`![a](${url})`)).missing).toEqual([url])
    Object.assign(storage, { copy, stat, read })
    expect((await opened.finalize(`![a](${url})`)).missing).toEqual([])
  })

  describe('installation marker', () => {
    it.each([
      [
        'lost its marker',
        async ({ storage }: TestEditor) =>
          void (await storage.remove('quillgate-installation.txt')),
      ],
      [
        'has the marker of another installation',
        async (opened: TestEditor) => {
          await opened.storage.remove('quillgate-installation.txt')
          await write(opened, 'quillgate-installation.txt')
        },
      ],
    ])('deletes nothing from a storage that %s', async (_name, harm) => {
      const opened = await open()
      const { editor, clock, storedKeys } = opened
      await opened.upload('t.png', png())
      const a = await opened.addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, image(a))
      await harm(opened)
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject({
        stopped: 'installation_mismatch',
        expired: 1,
      })
      await editor.references.set({ type: 'post', id: 1 }, '')
      expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
      await expect(editor.media.remove(a.id)).rejects.toMatchObject({
        code: 'deletion_suspended',
        status: 503,
      })
      expect(await storedKeys()).toHaveLength(2)
      expect(opened.logged.join()).toContain('does not contain the marker')
      await editor.ready()
    })

    it('stops the sweep of another database on the same storage', async () => {
      const storage = memoryStorage()
      const first = await open({}, { storage })
      await first.upload('a.png', png())
      const second = await open({}, { storage, clock: () => Date.now() + 30 * DAY })
      expect(await second.editor.sweep()).toMatchObject({ stopped: 'installation_mismatch' })
      expect(await first.storedKeys()).toHaveLength(1)
    })
  })

  describe('cleanupMedia: false', () => {
    it('deletes no formerly referenced file until it is true and the records are known', async () => {
      const database = openDatabase('sqlite::memory:')
      cleanups.push(database.close)
      const storage = memoryStorage()
      const opened = await open({ cleanupMedia: false }, { database: database.kysely, storage })
      const { editor, clock } = opened
      const [a, b] = [await opened.addPermanent(), await opened.addPermanent()]
      for (const { url } of [a, b]) {
        await editor.references.set({ type: 'post', id: 1 }, url)
        await editor.references.set({ type: 'post', id: 1 }, '')
        expect(await editor.deleteOrphanedMedia(url, '')).toEqual([])
      }
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject(nothing)
      const records = [{ type: 'post', id: 9, texts: { body: image(b) } }]
      expect(await editor.references.rebuild(records)).toEqual({
        records: 1,
        added: 1,
        missing: 0,
        recorded: true,
      })

      const again = await open({}, { database: database.kysely, storage, clock })
      expect(await again.editor.sweep()).toMatchObject({ stopped: null, unsettled: 1 })
      expect((await again.editor.media.get(a.id))?.state).toBe('deleted')
      expect((await again.editor.media.get(b.id))?.state).toBe('permanent')
    })
  })
})
