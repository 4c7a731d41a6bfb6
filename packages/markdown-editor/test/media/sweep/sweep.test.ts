import { type Database, openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { idOf, keyOfUrl, png, type TestEditor } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

const { ends, open: openDefault } = useEditors()

const DAY = 86_400_000
/** An editor of an application that tracks every text. */
const open: typeof openDefault = (settings, options) =>
  openDefault({ unsavedGrace: 7 * 86_400, ...settings }, options)
const nothing = {
  ...{
    expired: 0,
    unsaved: 0,
    neverReferenced: 0,
    unsettled: 0,
    orphaned: 0,
    interrupted: 0,
    strays: 0,
    failed: 0,
  },
  forgotten: 0,
}
const image = ({ url }: { url: string }): string => `![a](${url})`
const keyOf = ({ url }: { url: string }): string => keyOfUrl(url)

/** Some bytes under a key, as a killed process leaves them. */
const write = (opened: TestEditor, key: string) =>
  opened.storage.write(key, ReadableStream.from([png()]), { type: 'image/png' })

describe('editor.sweep', () => {
  describeDatabases((engine) => {
    it('deletes each kind of file after its own time, and nothing before', async () => {
      const { url: databaseUrl, close } = await engine.open()
      ends.push(close)
      const opened = await open({ orphanGrace: 3 * 86_400 }, { database: databaseUrl })
      const { editor, clock } = opened
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

    it('is safe to run twice at once', async () => {
      const { url: databaseUrl, close } = await engine.open()
      ends.push(close)
      const opened = await open({}, { database: databaseUrl })
      for (let n = 0; n < 10; n++) await opened.upload('a.png', png())
      opened.clock.advance(2 * DAY)
      const [one, other] = await Promise.all([opened.editor.sweep(), opened.editor.sweep()])
      expect(one.expired + other.expired).toBe(10)
      expect([one.failed, other.failed]).toEqual([0, 0])
      expect(await opened.storedKeys()).toEqual([])
    })
  })

  it('keeps a file that was finalized a moment ago and is not saved yet (F14)', async () => {
    const { editor, addPermanent, storedKeys } = await open()
    await addPermanent()
    expect(await editor.sweep()).toMatchObject(nothing)
    expect(await storedKeys()).toHaveLength(1)
  })

  it('keeps files however a text mentions them (F13)', async () => {
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
    it('takes an upload back that never ended', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const opened = await open({}, { database: database.kysely })
      await addRows(database, 1, opened.clock(), 'uploading')
      await write(opened, `md-editor/tmp/${rowId(0)}-a.png`)
      expect(await opened.editor.sweep()).toMatchObject(nothing)
      opened.clock.advance(2 * DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 1 })
      expect(await opened.storedKeys()).toEqual([])
      expect(await opened.editor.media.get(rowId(0))).toBeNull()
    })

    it('ends a promotion, and a deletion', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
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
      ends.push(database.close)
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

  it('drops a promotion that was broken off before everything unsaved', async () => {
    const database = openDatabase('sqlite::memory:')
    ends.push(database.close)
    const opened = await open({}, { database: database.kysely, records: { all: () => [] } })
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

  it('forgets what was deleted long ago, but what a record still mentions', async () => {
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

  describe('with a limit', () => {
    it('does as much, and looks at no storage', async () => {
      const opened = await open()
      const { editor, clock } = opened
      for (let n = 0; n < 5; n++) await opened.upload('a.png', png())
      await write(opened, 'md-editor/tmp/unknown.png')
      clock.advance(2 * DAY)
      expect(await editor.sweep({ limit: 3 })).toMatchObject({ ...nothing, expired: 3 })
      expect(await editor.sweep({ limit: 3 })).toMatchObject({ ...nothing, expired: 2 })
      expect(await editor.sweep({ limit: 3 })).toMatchObject(nothing)
      expect(await editor.sweep()).toMatchObject({ ...nothing, strays: 1 })
    })

    it('takes a few of however many temporary files', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const opened = await open({}, { database: database.kysely })
      await addRows(database, 1001, opened.clock())
      opened.clock.advance(2 * DAY)
      expect(await opened.editor.sweep({ limit: 3 })).toMatchObject({
        ...nothing,
        stopped: null,
        expired: 3,
      })
    })
  })

  it('goes on in the background when one kind is too many', async () => {
    const database = openDatabase('sqlite::memory:')
    ends.push(database.close)
    const opened = await open(
      { orphanGrace: 86_400 },
      { database: database.kysely, records: { all: () => [] } },
    )
    const { editor, clock } = opened
    const orphan = await opened.addPermanent()
    await editor.media.remove(orphan.id)
    await addRows(database, 1002, clock())
    clock.advance(30 * DAY)
    expect(await editor.sweep()).toMatchObject({ stopped: 'too_many' })
    expect(await editor.sweep({ keepGoing: true })).toMatchObject({
      ...nothing,
      stopped: null,
      expired: 1000,
      orphaned: 1,
    })
    expect(await editor.sweep({ keepGoing: true })).toMatchObject({
      ...nothing,
      stopped: null,
      expired: 2,
    })

    await addRows(database, 1001, clock(), 'permanent', 2000)
    await change(
      database,
      `finalized_at = ${clock()}, permanent_key = 'md-editor/uploads/x'`,
      rowId(2000),
      '>=',
    )
    await opened.upload('a.png', png())
    clock.advance(8 * DAY)
    expect(await editor.sweep({ keepGoing: true })).toMatchObject({
      ...nothing,
      stopped: 'too_many',
      expired: 1,
    })
    expect(await editor.sweep({ force: true })).toMatchObject({
      ...nothing,
      stopped: null,
      unsaved: 1001,
    })
  })

  it('takes no permanent file for a stray one when the folders of the settings were exchanged', async () => {
    const storage = memoryStorage()
    const database = openDatabase('sqlite::memory:')
    ends.push(database.close)
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

  it('gives no file up while the storage is away', async () => {
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

  describe('after uploads', () => {
    it('sweeps a little, once a minute', async () => {
      const opened = await open()
      for (let n = 0; n < 25; n++) await opened.upload('a.png', png())
      expect(await opened.storedKeys()).toHaveLength(25)
      opened.clock.advance(2 * DAY)
      await opened.upload('b.png', png())
      expect(await opened.storedKeys()).toHaveLength(6)
      await opened.upload('c.png', png())
      expect(await opened.storedKeys()).toHaveLength(7)
      opened.clock.advance(60_000)
      await opened.upload('d.png', png())
      expect(await opened.storedKeys()).toHaveLength(3)
    })

    it('keeps up with short times, and leaves uploads alone that are under way', async () => {
      const opened = await open({ tempMaxAge: 1 })
      await opened.upload('a.png', png())
      opened.clock.advance(1000)
      await opened.upload('b.png', png())
      expect(await opened.storedKeys()).toHaveLength(1)
      const all = await open({ tempMaxAge: 0 })
      await Promise.all(Array.from({ length: 5 }, () => all.upload('a.png', png())))
    })

    it('does nothing with sweepInterval null', async () => {
      const opened = await open({ sweepInterval: null })
      await opened.upload('a.png', png())
      opened.clock.advance(2 * DAY)
      await opened.upload('b.png', png())
      expect(await opened.storedKeys()).toHaveLength(2)
    })

    it('fails no upload when it fails itself', async () => {
      const storage = memoryStorage()
      const opened = await open({}, { storage })
      await opened.upload('a.png', png())
      opened.clock.advance(2 * DAY)
      storage.remove = () => Promise.reject(new Error('broken'))
      await opened.upload('b.png', png())
      expect(opened.logged.join()).toContain('the next one tries again')
    })
  })

  describe('stray objects', () => {
    it('deletes old ones of the temporary folder only', async () => {
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

    it('deletes the temporary copy that a promotion left behind', async () => {
      const storage = memoryStorage({ clock: () => 0 })
      const opened = await open({}, { storage })
      const { url } = await opened.upload('a.png', png())
      await opened.finalize(`![a](${url})`)
      await write(opened, keyOfUrl(url))
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, strays: 1 })
      expect(await opened.storedKeys()).toHaveLength(1)
    })
  })

  describe('brakes', () => {
    it('stops before it deletes more than max(1,000, 5 %), without force', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const { editor, clock } = await open({}, { database: database.kysely })
      await addRows(database, 1001, clock())
      clock.advance(2 * DAY)
      const stopped = await editor.sweep()
      expect(stopped).toMatchObject({ stopped: 'too_many', expired: 1001 })
      expect(stopped.items).toHaveLength(1000)
      expect((await editor.media.get(rowId(0)))?.state).toBe('temporary')
      expect(await editor.sweep({ force: true })).toMatchObject({ stopped: null, expired: 1001 })
    })

    it('lets 1,000 pass', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const { editor, clock } = await open({}, { database: database.kysely })
      await addRows(database, 1000, clock())
      clock.advance(2 * DAY)
      expect(await editor.sweep()).toMatchObject({ stopped: null, expired: 1000 })
    })

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
      expect(await editor.sweep({ force: true })).toMatchObject({
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
      expect(opened.logged.join()).toContain('does not carry the marker')
      await editor.ready()
    })

    it('takes another storage for what it is: another database does not sweep it', async () => {
      const storage = memoryStorage()
      const first = await open({}, { storage })
      await first.upload('a.png', png())
      const second = await open({}, { storage, clock: () => Date.now() + 30 * DAY })
      expect(await second.editor.sweep()).toMatchObject({ stopped: 'installation_mismatch' })
      expect(await first.storedKeys()).toHaveLength(1)
    })
  })

  describe('an application that never calls references.set', () => {
    it('keeps its finalized files, and is told so', async () => {
      const { editor, addPermanent, clock, storedKeys, logged } = await open()
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
      expect(await editor.sweep({ force: true })).toMatchObject(report)
      expect(logged.join()).toContain('references.set')
      expect(await storedKeys()).toEqual([keyOf(b)])
    })

    it('loses what was never saved when it says where its records are', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open(
        {},
        { records: { all: () => [] } },
      )
      await addPermanent()
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject({ ...nothing, unsaved: 1 })
      expect(await storedKeys()).toEqual([])
    })

    it('keeps what was finalized before its first reference, until it is known that no record has it', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const old = await addPermanent()
      clock.advance(DAY)
      const saved = await addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, image(saved))
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject({
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

    it('loses what was never saved from its first reference on', async () => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const [a] = [await addPermanent(), await addPermanent()]
      await editor.references.set({ type: 'post', id: 1 }, image(a))
      await editor.references.remove({ type: 'post', id: 1 })
      clock.advance(30 * DAY)
      expect(await editor.sweep()).toMatchObject({ ...nothing, unsaved: 1 })
      expect(await storedKeys()).toEqual([])
    })
  })

  describe('without unsavedGrace', () => {
    const texts = (body: string) => ({ type: 'post', id: 1, texts: { body } })

    it('keeps a file that no record has ever referenced, whatever the editor knows of records', async () => {
      const opened = await openDefault({}, { records: { all: () => [] } })
      const { editor, clock, logged } = opened
      const [never, saved] = [await opened.addPermanent(), await opened.addPermanent()]
      await editor.references.set({ type: 'post', id: 1 }, { body: image(saved) })
      await editor.references.rebuild([texts(image(saved))])
      clock.advance(1000 * DAY)
      expect(await editor.sweep({ force: true })).toMatchObject({
        ...nothing,
        neverReferencedBytes: 0,
        items: [],
      })
      expect((await opened.get(never.url)).status).toBe(200)
      expect(logged).toEqual([])
    })

    it('still deletes what has lost its last reference, although a text that is not tracked mentions it', async () => {
      const opened = await openDefault()
      const { editor } = opened
      const { url, id } = await opened.addPermanent()
      await editor.references.set({ type: 'post', id: 1 }, { body: url })
      // The application copies the text into a table that it does not track.
      await editor.references.set({ type: 'post', id: 1 }, { body: 'bye' })
      expect(await editor.media.get(id)).toMatchObject({ state: 'deleted', reason: 'orphaned' })
    })

    it('keeps a promotion that was broken off long ago', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const opened = await openDefault(
        {},
        { database: database.kysely, records: { all: () => [] } },
      )
      const { url } = await opened.upload('a.png', png())
      const key = keyOfUrl(url.replace('/tmp/', '/uploads/2026/03/'))
      await change(database, `state = 'promoting', permanent_key = '${key}'`, idOf(url))
      opened.clock.advance(30 * DAY)
      expect(await opened.editor.sweep()).toMatchObject({ ...nothing, interrupted: 1 })
      expect(await opened.storedKeys()).toEqual([key])
    })

    it('lists such files in a dry run and in a check a day after they were finalized, with their sizes', async () => {
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
        neverReferencedBytes: 0,
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
        neverReferencedBytes: 2 * size,
      })
      expect(planned.items).toEqual(items.map((item) => ({ kind: 'never_referenced', ...item })))
      expect((await editor.check()).neverReferenced).toEqual({ count: 2, bytes: 2 * size, items })
    })
  })

  describe('existingRecords', () => {
    it('only reports until the references of all records are known', async () => {
      const opened = await open({}, { existingRecords: true })
      const { editor, clock, storedKeys } = opened
      const [a, b] = [await opened.addPermanent(), await opened.addPermanent()]
      await opened.upload('t.png', png())
      await editor.references.set({ type: 'post', id: 1 }, image(a))
      await editor.references.set({ type: 'post', id: 1 }, '')
      expect(await editor.deleteOrphanedMedia(image(a), '')).toEqual([])
      clock.advance(30 * DAY)
      expect(await editor.sweep({ force: true })).toMatchObject({
        stopped: 'references_unknown',
        expired: 1,
        unsaved: 1,
      })
      expect(await storedKeys()).toHaveLength(3)

      const records = [{ type: 'post', id: 9, texts: { body: image(b) } }]
      expect(await editor.references.rebuild(records)).toEqual({ records: 1, added: 1, missing: 0 })
      expect(await editor.sweep()).toMatchObject({
        stopped: null,
        expired: 1,
        orphaned: 1,
        unsaved: 0,
      })
      expect(await storedKeys()).toEqual([keyOf(b)])
    })

    it('stays in force when the option is taken away too early', async () => {
      const database = openDatabase('sqlite::memory:')
      ends.push(database.close)
      const storage = memoryStorage()
      await open({}, { database: database.kysely, storage, existingRecords: true })
      const { editor } = await open({}, { database: database.kysely, storage })
      expect(await editor.sweep()).toMatchObject({ stopped: 'references_unknown' })
    })
  })

  it('goes on when some bytes cannot be removed, and ends it the next time', async () => {
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
    expect(logged.join()).toContain('the next one tries again')
    storage.remove = remove
    expect(await editor.sweep()).toMatchObject({ interrupted: 1, failed: 0 })
    expect(await storedKeys()).toEqual([])
  })
})

describe('editor.check', () => {
  it('finds nothing where all is well', async () => {
    const { editor, upload, addPermanent } = await open()
    await upload('a.png', png())
    const a = await addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, image(a))
    const none = { count: 0, items: [] }
    expect(await editor.check()).toEqual({
      stopped: null,
      lastRebuild: null,
      files: 2,
      damaged: none,
      strays: none,
      deleted: 0,
      dangling: none,
      neverReferenced: { ...none, bytes: 0 },
    })
  })

  it('finds bytes that were changed, where it is to read them', async () => {
    const opened = await open()
    const { editor, storage } = opened
    await opened.addPermanent()
    const changed = await opened.addPermanent()
    const bytes = png()
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
    await storage.remove(keyOf(changed))
    await storage.write(keyOf(changed), ReadableStream.from([bytes]), { type: 'image/png' })
    expect(await editor.check()).toMatchObject({ files: 2, damaged: { count: 0 } })
    expect(await editor.check({ verify: true })).toMatchObject({
      files: 2,
      damaged: { count: 1, items: [{ id: changed.id }] },
    })
  })

  it('finds lost and damaged bytes, strays and references to files that are gone', async () => {
    const database = openDatabase('sqlite::memory:')
    ends.push(database.close)
    const opened = await open({}, { database: database.kysely })
    const { editor, storage } = opened
    const [lost, cut, gone] = [
      await opened.addPermanent(),
      await opened.addPermanent(),
      await opened.addPermanent(),
    ]
    await editor.references.set({ type: 'post', id: 1 }, { body: image(gone) })
    await change(database, `state = 'deleted'`, gone.id)
    await storage.remove(keyOf(lost))
    await storage.remove(keyOf(cut))
    await storage.write(keyOf(cut), ReadableStream.from([new Uint8Array(1)]), { type: 'image/png' })
    await write(opened, 'md-editor/tmp/stray.png')
    const report = await editor.check()
    expect(report).toMatchObject({ files: 2, damaged: { count: 2 }, deleted: 0 })
    expect(report.strays.items.map(({ key }) => key)).toEqual([
      'md-editor/tmp/stray.png',
      keyOf(gone),
    ])
    expect(report.dangling.items).toEqual([
      { id: gone.id, type: 'post', record: '1', field: 'body' },
    ])
  })

  it('deletes strays older than a day when it is asked to', async () => {
    const opened = await open()
    const a = await opened.addPermanent()
    await write(opened, 'md-editor/uploads/2026/03/stray.png')
    expect(await opened.editor.check({ deleteStrays: true })).toMatchObject({
      strays: { count: 1 },
      deleted: 0,
    })
    opened.clock.advance(DAY)
    expect(await opened.editor.check({ deleteStrays: true })).toMatchObject({
      strays: { count: 1 },
      deleted: 1,
    })
    expect(await opened.storedKeys()).toEqual([keyOf(a)])
  })

  it('deletes no more strays than max(1,000, 5 %) without force, and says so', async () => {
    const opened = await open()
    for (let n = 0; n < 1001; n++) await write(opened, `md-editor/tmp/stray-${n}.png`)
    opened.clock.advance(DAY)
    expect(await opened.editor.check()).toMatchObject({ stopped: null, strays: { count: 1001 } })
    expect(await opened.editor.check({ deleteStrays: true })).toMatchObject({
      stopped: 'too_many',
      deleted: 0,
    })
    expect(await opened.editor.check({ deleteStrays: true, force: true })).toMatchObject({
      stopped: null,
      deleted: 1001,
    })
  })
})

const rowId = (n: number): string => `m${String(n).padStart(26, '0')}`

/** Writes rows as uploads do, without their bytes. */
async function addRows(
  database: Database,
  count: number,
  at: number,
  state = 'temporary',
  first = 0,
): Promise<void> {
  const executor = database.executor(database.kysely)
  for (let start = 0; start < count; start += 500) {
    const rows = Array.from({ length: Math.min(500, count - start) }, (_, n) => {
      const id = rowId(first + start + n)
      const checksum = state === 'uploading' ? 'NULL' : `'c0ffee'`
      return `('${id}', '${state}', 'user:ada', 'a.png', 'image/png', 3, ${checksum}, 'md-editor/tmp/${id}-a.png', ${at}, ${at}, 0)`
    })
    await executor.execute(
      `INSERT INTO quillgate_media (id, state, owner, name, type, size, checksum, temp_key, created_at, changed_at, writes)
       VALUES ${rows.join(', ')}`,
    )
  }
}

async function change(
  database: Database,
  assignments: string,
  id: string,
  by = '=',
): Promise<void> {
  await database
    .executor(database.kysely)
    .execute(`UPDATE quillgate_media SET ${assignments} WHERE id ${by} '${id}'`)
}
