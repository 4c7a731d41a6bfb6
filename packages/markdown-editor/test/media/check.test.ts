import { openDatabase } from '@quillgate/server/database'
import { describe, expect, it } from 'vitest'
import { image, keyOf, png } from '../editor-fixture.ts'
import { change, useTrackingEditors, write } from './sweep/sweep-fixture.ts'

const { cleanups, open } = useTrackingEditors()

describe('editor.check', () => {
  it('finds no problems in a consistent store', async () => {
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
      dangling: none,
      neverReferenced: { ...none, bytes: 0 },
    })
  })

  it('finds changed bytes with the option verify', async () => {
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

  it('finds lost and damaged bytes, stray objects and references to deleted files', async () => {
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
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
    expect(report).toMatchObject({ files: 2, damaged: { count: 2 } })
    expect(report.strays.items.map(({ key }) => key)).toEqual([
      'md-editor/tmp/stray.png',
      keyOf(gone),
    ])
    expect(report.dangling.items).toEqual([
      { id: gone.id, type: 'post', record: '1', field: 'body' },
    ])
  })
})
