import { openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { DAY, idOf, image, keyOf, keyOfUrl, png } from '../../editor-fixture.ts'
import { addRows, change, nothing, rowId, useTrackingEditors, write } from './sweep-fixture.ts'

const { cleanups, open } = useTrackingEditors()

describe('editor.sweep', () => {
  describeDatabases((engine) => {
    it('deletes each kind of file only after its own grace period', async () => {
      const { url: databaseUrl, close } = await engine.open()
      cleanups.push(close)
      const opened = await open({ orphanGrace: 3 * 86_400 }, { database: databaseUrl })
      const { editor, clock } = opened
      await editor.references.rebuild([])
      const temporary = await opened.upload('t.png', png())
      const unsaved = await opened.addPermanent()
      const orphan = await opened.addPermanent()
      const kept = await opened.addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, image(kept) + image(orphan))
      await editor.references.set({ type: 'post', id: 1 }, image(kept))

      clock.advance(DAY - 1)
      expect(await editor.sweep()).toMatchObject({ ...nothing, stopped: null, dryRun: false })
      clock.advance(1)
      expect(await editor.sweep()).toMatchObject({ ...nothing, expired: 1 })
      clock.advance(2 * DAY)
      expect(await editor.sweep()).toMatchObject({ ...nothing, orphaned: 1 })
      clock.advance(4 * DAY - 1)
      expect(await editor.sweep()).toMatchObject(nothing)
      clock.advance(1)
      expect(await editor.sweep()).toMatchObject({
        ...nothing,
        unsaved: 1,
        items: [{ kind: 'unsaved', id: unsaved.id, key: keyOf(unsaved) }],
      })
      expect(await opened.storedKeys()).toEqual([keyOf(kept)])
      expect(await editor.media.get(idOf(temporary.url))).toMatchObject({
        reason: 'expired',
        actor: 'sweep',
      })
      expect(await editor.media.get(unsaved.id)).toMatchObject({
        reason: 'unsaved',
        actor: 'sweep',
      })
      expect(await editor.media.get(orphan.id)).toMatchObject({
        reason: 'orphaned',
        actor: 'sweep',
      })
    })

    it('can run twice concurrently', async () => {
      const { url: databaseUrl, close } = await engine.open()
      cleanups.push(close)
      const opened = await open({}, { database: databaseUrl })
      for (let n = 0; n < 10; n++) await opened.upload('a.png', png())
      opened.clock.advance(2 * DAY)
      const [one, other] = await Promise.all([opened.editor.sweep(), opened.editor.sweep()])
      expect(one.expired + other.expired).toBe(10)
      expect([one.failed, other.failed]).toEqual([0, 0])
      expect(await opened.storedKeys()).toEqual([])
    })
  })

  it('only reports with dryRun', async () => {
    const { editor, upload, clock, storedKeys } = await open()
    await upload('a.png', png())
    clock.advance(2 * DAY)
    expect(await editor.sweep({ dryRun: true })).toMatchObject({
      ...nothing,
      dryRun: true,
      expired: 1,
    })
    expect(await storedKeys()).toHaveLength(1)
    expect(await editor.sweep()).toMatchObject({ expired: 1 })
  })

  describe('interrupted steps', () => {
    it('removes an upload that never ended', async () => {
      const database = openDatabase('sqlite::memory:')
      cleanups.push(database.close)
      const opened = await open({}, { database: database.kysely })
      await addRows(database, 1, opened.clock(), 'uploading')
      await write(opened, `md-editor/tmp/${rowId(0)}-a.png`)
      expect(await opened.editor.sweep()).toMatchObject(nothing)
      opened.clock.advance(2 * DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 1 })
      expect(await opened.storedKeys()).toEqual([])
      expect(await opened.editor.media.get(rowId(0))).toBeNull()
    })

    it('completes a promotion and a deletion', async () => {
      const database = openDatabase('sqlite::memory:')
      cleanups.push(database.close)
      const opened = await open({}, { database: database.kysely })
      const { url } = await opened.upload('a.png', png())
      const gone = await opened.addPermanent()
      const permanent = url.replace('/tmp/', '/uploads/2026/03/')
      await change(
        database,
        `state = 'promoting', permanent_key = '${permanent.slice(7)}'`,
        idOf(url),
      )
      await change(database, `state = 'deleting'`, gone.id)
      opened.clock.advance(3_600_000)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 2 })
      expect(await opened.storedKeys()).toEqual([permanent.slice(7)])
      expect((await opened.get(permanent)).status).toBe(200)
    })

    it('gives up a promotion whose bytes are lost', async () => {
      const database = openDatabase('sqlite::memory:')
      cleanups.push(database.close)
      const opened = await open({}, { database: database.kysely })
      await addRows(database, 1, opened.clock(), 'promoting')
      opened.clock.advance(2 * DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 1 })
      expect(await opened.editor.media.get(rowId(0))).toMatchObject({
        state: 'deleted',
        reason: 'upload_failed',
      })
    })
  })

  it('deletes the file of a promotion that was interrupted long ago as unsaved', async () => {
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
    const opened = await open({}, { database: database.kysely })
    await opened.editor.references.rebuild([])
    const { url } = await opened.upload('a.png', png())
    const key = keyOfUrl(url.replace('/tmp/', '/uploads/2026/03/'))
    await change(database, `state = 'promoting', permanent_key = '${key}'`, idOf(url))
    opened.clock.advance(30 * DAY)
    const planned = await opened.editor.sweep({ dryRun: true })
    expect(planned).toMatchObject({
      ...nothing,
      dryRun: true,
      unsaved: 1,
      items: [{ kind: 'unsaved' }],
    })
    expect(planned.items).toHaveLength(1)
    expect(await opened.editor.sweep()).toMatchObject({ ...nothing, unsaved: 1 })
    expect(await opened.storedKeys()).toEqual([])
    expect(await opened.editor.media.get(idOf(url))).toMatchObject({
      state: 'deleted',
      reason: 'unsaved',
      actor: 'sweep',
    })
  })

  it('removes rows of files deleted long ago, except those that a record still mentions', async () => {
    const opened = await open({ cleanupMedia: false })
    const [gone, mentioned] = [
      await opened.upload('a.png', png()),
      await opened.upload('b.png', png()),
    ]
    const { editor, clock } = opened
    await editor.media.remove(idOf(gone.url), { actor: { id: 'ada' } })
    clock.advance(365 * DAY - 1)
    expect(await editor.sweep()).toMatchObject({ ...nothing, expired: 1 })
    await editor.references.set({ type: 'post', id: 1 }, mentioned.url)
    clock.advance(1)
    expect(await editor.sweep()).toMatchObject({
      ...nothing,
      forgotten: 1,
      items: [{ id: idOf(gone.url) }],
    })
    expect(await editor.media.get(idOf(gone.url))).toBeNull()
    expect(await editor.media.get(idOf(mentioned.url))).toMatchObject({
      state: 'deleted',
      reason: 'expired',
    })
  })

  describe('stray objects', () => {
    it('are deleted only in the temporary folder and only if they are old', async () => {
      const opened = await open()
      const { url } = await opened.upload('a.png', png())
      await write(opened, 'md-editor/tmp/unknown.png')
      await write(opened, 'md-editor/tmp/deep/er.png')
      await write(opened, `md-editor/tmp/${idOf(url)}-other-name.png`)
      await write(opened, 'md-editor/uploads/2026/03/unknown.png')
      await write(opened, 'other/file.png')
      expect(await opened.editor.sweep()).toMatchObject(nothing)
      opened.clock.advance(DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, expired: 1, strays: 3 })
      expect(await opened.storedKeys()).toEqual(['md-editor/uploads/2026/03/unknown.png'])
      expect(await opened.storage.stat('other/file.png')).not.toBeNull()
    })

    it('include nothing outside the folders of the editor, whatever its name (F9, F17)', async () => {
      const opened = await open()
      const foreign = [
        'avatars/a.png',
        'md-editor.png',
        'md-editor/b.png',
        'md-editor/tmp-private/a.png',
        '2026/03/c.png',
      ]
      for (const key of foreign) await write(opened, key)
      await opened.editor.finalize('![a](/media/md-editor/tmp-private/a.png)', {
        owner: { id: 'ada' },
      })
      opened.clock.advance(365 * DAY)
      expect(await opened.editor.sweep()).toMatchObject(nothing)
      for (const key of foreign) expect(await opened.storage.stat(key)).not.toBeNull()
    })

    it('include the temporary copy that remained after a promotion', async () => {
      const storage = memoryStorage({ clock: () => 0 })
      const opened = await open({}, { storage })
      const { url } = await opened.upload('a.png', png())
      await opened.finalize(`![a](${url})`)
      await write(opened, keyOfUrl(url))
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, strays: 1 })
      expect(await opened.storedKeys()).toHaveLength(1)
    })
  })

  it('continues if some bytes cannot be removed, and removes them in the next sweep', async () => {
    const storage = memoryStorage()
    const { editor, upload, clock, storedKeys, logged } = await open({}, { storage })
    const stuck = await upload('a.png', png())
    await upload('b.png', png())
    const { remove } = storage
    storage.remove = async (key) => {
      if (key.includes(idOf(stuck.url))) throw new Error('out of order')
      return remove.call(storage, key)
    }
    clock.advance(2 * DAY)
    expect(await editor.sweep()).toMatchObject({ expired: 1, failed: 1 })
    expect(logged.join()).toContain('The next sweep will try again')
    storage.remove = remove
    expect(await editor.sweep()).toMatchObject({ interrupted: 1, failed: 0 })
    expect(await storedKeys()).toEqual([])
  })
})
