import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '@quillgate/markdown-editor'
import { QuillgateError } from '@quillgate/server'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { keyOfUrl, png, type TestEditor } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

const MARKER = 'quillgate-installation.txt'
const DAY = 86_400

const { ends, open } = useEditors()

/** A database that two editors may open. */
async function ledgerFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-copy-'))
  ends.push(() => rm(folder, { recursive: true }))
  return `sqlite:${join(folder, 'ledger.sqlite')}`
}

/** Files in each state in which their bytes are needed, and one that is gone. @returns the keys of those that are needed */
async function fill({ editor, ...opened }: TestEditor): Promise<{ needed: string[] }> {
  const temporary = await opened.upload('temporary.png', png(2))
  const kept = await opened.addPermanent()
  const orphan = await opened.addPermanent()
  const deleted = await opened.addPermanent()
  await editor.references.set({ type: 'post', id: 1 }, `![](${kept.url}) ![](${orphan.url})`)
  await editor.references.set({ type: 'post', id: 1 }, `![](${kept.url})`)
  await editor.deleteOrphanedMedia(`![](${deleted.url})`, '')
  const key = ({ url }: { url: string }): string => keyOfUrl(url)
  return { needed: [temporary, kept, orphan].map(key).sort() }
}

async function keysOf(storage: Storage): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list('md-editor/')) keys.push(key)
  return keys.sort()
}

async function bytesAt(storage: Storage, key: string): Promise<Buffer | null> {
  const stored = await storage.read(key)
  return stored && Buffer.from(await new Response(stored.body).arrayBuffer())
}

const put = (storage: Storage, key: string, bytes: Uint8Array): Promise<unknown> =>
  storage.write(key, ReadableStream.from([bytes]), { type: 'image/png' })

describe('editor.copyTo', () => {
  describeDatabases((engine) => {
    it('copies what the ledger needs, and nothing else, byte by byte', async () => {
      const { url: database, close } = await engine.open()
      ends.push(close)
      const opened = await open({ orphanGrace: DAY }, { database })
      const { needed } = await fill(opened)
      await put(opened.storage, 'md-editor/uploads/stray.png', png(9))
      const target = memoryStorage()
      const report = await opened.editor.copyTo(target)
      expect(report).toMatchObject({
        complete: true,
        stopped: null,
        files: 3,
        copied: 3,
        present: 0,
        uploading: 0,
      })
      expect(await keysOf(target)).toEqual(needed)
      for (const key of [...needed, MARKER])
        expect(await bytesAt(target, key)).toEqual(await bytesAt(opened.storage, key))
      expect(report.bytes).toBe(
        (await Promise.all(needed.map((key) => target.stat(key)))).reduce(
          (sum, at) => sum + (at?.size ?? 0),
          0,
        ),
      )
    })

    it('can be run again: it copies what is new and removes what is gone', async () => {
      const { url: database, close } = await engine.open()
      ends.push(close)
      const opened = await open({ orphanGrace: 0 }, { database })
      const kept = await opened.addPermanent()
      const later = await opened.upload('later.png', png(3))
      const dropped = await opened.addPermanent()
      const target = memoryStorage()
      await put(target, 'md-editor/uploads/not-ours.png', png(9))
      expect(await opened.editor.copyTo(target)).toMatchObject({ copied: 3, removed: 0 })
      expect(await opened.editor.copyTo(target)).toMatchObject({
        copied: 0,
        present: 3,
        removed: 0,
        complete: true,
      })

      const { replacements } = await opened.finalize(`![](${later.url})`)
      await opened.editor.media.remove(dropped.id)
      const fresh = await opened.upload('new.png', png(4))
      expect(await opened.editor.copyTo(target)).toMatchObject({
        files: 3,
        copied: 2,
        present: 1,
        removed: 2,
        complete: true,
      })
      const urls = [
        kept.url,
        replacements[later.url] ?? '',
        fresh.url,
        '/media/md-editor/uploads/not-ours.png',
      ]
      expect(await keysOf(target)).toEqual(urls.map((url) => keyOfUrl(url)).sort())
    })
  })

  it('changes no URL, there and back', async () => {
    const database = await ledgerFile()
    const opened = await open({ orphanGrace: DAY }, { database })
    const { needed } = await fill(opened)
    const [other, back] = [memoryStorage(), memoryStorage()]
    await opened.editor.copyTo(other)
    const moved = await open({ orphanGrace: DAY }, { database, storage: other })
    for (const key of needed) {
      const [before, after] = [await opened.get(`/media/${key}`), await moved.get(`/media/${key}`)]
      expect(after.status).toBe(before.status)
      expect(Object.fromEntries(after.headers)).toEqual(Object.fromEntries(before.headers))
      expect(await after.bytes()).toEqual(await before.bytes())
    }
    expect(await moved.editor.copyTo(back)).toMatchObject({ complete: true, copied: 3 })
    expect(await keysOf(back)).toEqual(needed)
  })

  it('lets nothing be deleted on a target that is not complete', async () => {
    const database = await ledgerFile()
    const opened = await open({ orphanGrace: 0 }, { database })
    const { id, url } = await opened.addPermanent()
    const lost = await opened.addPermanent()
    await opened.storage.remove(keyOfUrl(lost.url))
    const target = memoryStorage()
    const report = await opened.editor.copyTo(target)
    expect(report).toMatchObject({
      complete: false,
      copied: 1,
      lost: { count: 1, items: [{ id: lost.id, problem: 'missing' }] },
    })
    const moved = await open({ orphanGrace: 0 }, { database, storage: target })
    expect(await moved.editor.sweep()).toMatchObject({ stopped: 'installation_mismatch' })
    expect((await moved.get(url)).status).toBe(200)
    await expect(moved.editor.media.remove(id)).rejects.toMatchObject({
      code: 'deletion_suspended',
    })

    expect(await opened.editor.copyTo(target, { acceptLosses: true })).toMatchObject({
      complete: true,
      present: 1,
    })
    expect(await moved.editor.sweep()).toMatchObject({ stopped: null })
  })

  it('takes the marker away while something is missing again', async () => {
    const opened = await open()
    await opened.addPermanent()
    const target = memoryStorage()
    await opened.editor.copyTo(target)
    expect(await target.stat(MARKER)).not.toBeNull()
    const late = await opened.addPermanent()
    await opened.upload('new.png', png(5))
    await opened.storage.remove(keyOfUrl(late.url))
    expect(await opened.editor.copyTo(target)).toMatchObject({ complete: false, copied: 1 })
    expect(await target.stat(MARKER)).toBeNull()
  })

  it('replaces objects of the target that are others than the ledger says', async () => {
    const opened = await open()
    const [short, changed, fine] = [
      await opened.addPermanent(),
      await opened.addPermanent(),
      await opened.addPermanent(),
    ]
    const target = memoryStorage()
    await opened.editor.copyTo(target)
    const keys = [short, changed, fine].map(({ url }) => keyOfUrl(url))
    const whole = png()
    await target.remove(keys[0] ?? '')
    await put(target, keys[0] ?? '', whole.subarray(0, 10))
    await target.remove(keys[1] ?? '')
    await put(
      target,
      keys[1] ?? '',
      whole.map((byte, index) => (index === 40 ? byte ^ 1 : byte)),
    )
    expect(await opened.editor.copyTo(target, { compare: 'size', dryRun: true })).toMatchObject({
      replaced: 1,
      present: 2,
    })
    expect(await opened.editor.copyTo(target)).toMatchObject({
      replaced: 2,
      present: 1,
      copied: 0,
      complete: true,
    })
    for (const key of keys)
      expect(await bytesAt(target, key)).toEqual(await bytesAt(opened.storage, key))
  })

  it('never makes an object of bytes that the source has damaged', async () => {
    const opened = await open()
    const { id, url } = await opened.addPermanent()
    const key = keyOfUrl(url)
    const bytes = png()
    for (const damaged of [
      bytes.subarray(0, 20),
      Buffer.concat([bytes, bytes]),
      bytes.map((byte) => byte ^ 1),
    ]) {
      await opened.storage.remove(key)
      await put(opened.storage, key, damaged)
      const target = memoryStorage()
      expect(await opened.editor.copyTo(target)).toMatchObject({
        complete: false,
        lost: { items: [{ id, key, problem: 'damaged' }] },
      })
      expect(await keysOf(target)).toEqual([])
      expect(await target.stat(MARKER)).toBeNull()
    }
  })

  it('only reports with dryRun', async () => {
    const opened = await open({ orphanGrace: DAY })
    await fill(opened)
    const target = memoryStorage()
    const report = await opened.editor.copyTo(target, { dryRun: true })
    expect(report).toMatchObject({ dryRun: true, complete: false, files: 3, copied: 3 })
    expect([await keysOf(target), await target.stat(MARKER)]).toEqual([[], null])
  })

  it('leaves the storage of another installation alone', async () => {
    const [opened, other] = [await open(), await open()]
    await opened.addPermanent()
    const theirs = await other.storedKeys()
    expect(await opened.editor.copyTo(other.storage)).toMatchObject({
      stopped: 'installation_mismatch',
      complete: false,
      files: 0,
    })
    expect(await other.storedKeys()).toEqual(theirs)
  })

  it('goes on after objects that fail, and says which', async () => {
    const opened = await open()
    const [bad, good] = [await opened.addPermanent(), await opened.addPermanent()]
    const target = memoryStorage()
    const { write } = target
    target.write = async (key, body, info) => {
      if (key.includes(bad.id))
        throw new QuillgateError('storage_failed', 503, 'No.', { internal: 'No: disk is full.' })
      return write.call(target, key, body, info)
    }
    const report = await opened.editor.copyTo(target)
    expect(report).toMatchObject({
      complete: false,
      copied: 1,
      failed: { count: 1, items: [{ id: bad.id, reason: 'No: disk is full.' }] },
    })
    expect(await keysOf(target)).toEqual([keyOfUrl(good.url)])
    target.write = write
    expect(await opened.editor.copyTo(target)).toMatchObject({
      complete: true,
      copied: 1,
      present: 1,
    })
  })

  it('gives up on a target where nothing works', async () => {
    const opened = await open()
    for (let n = 0; n < 105; n++) await opened.upload('a.png', png())
    const target = memoryStorage()
    const { write } = target
    let writes = 0
    target.write = async (key, ...rest) => {
      if (!key.startsWith('md-editor/')) return write.call(target, key, ...rest)
      writes++
      throw new QuillgateError('storage_failed', 503, 'No.')
    }
    await expect(opened.editor.copyTo(target, { concurrency: 2 })).rejects.toMatchObject({
      code: 'storage_failed',
    })
    expect(writes).toBeGreaterThanOrEqual(100)
    expect(writes).toBeLessThan(105)
  })

  it('follows files that are finalized and deleted while they are copied', async () => {
    const opened = await open()
    const moving = await opened.upload('moving.png', png())
    const going = await opened.addPermanent()
    const { read } = opened.storage
    let permanent = ''
    opened.storage.read = async (key, range) => {
      if (keyOfUrl(moving.url) === key && permanent === '') {
        permanent = (await opened.finalize(`![](${moving.url})`)).replacements[moving.url] ?? ''
      }
      if (keyOfUrl(going.url) === key) await opened.editor.media.remove(going.id)
      return read.call(opened.storage, key, range)
    }
    const target = memoryStorage()
    expect(await opened.editor.copyTo(target)).toMatchObject({
      complete: true,
      files: 2,
      copied: 1,
      lost: { count: 0 },
    })
    expect(await keysOf(target)).toEqual([keyOfUrl(permanent)])
  })

  it('takes what is uploaded meanwhile at the next run, and two runs at once agree', async () => {
    const opened = await open()
    for (let n = 0; n < 20; n++) await opened.addPermanent()
    const target = memoryStorage()
    const uploads = Promise.all(Array.from({ length: 10 }, () => opened.addPermanent()))
    const reports = await Promise.all([
      opened.editor.copyTo(target),
      opened.editor.copyTo(target, { concurrency: 3 }),
    ])
    await uploads
    for (const { failed, lost } of reports) expect([failed.count, lost.count]).toEqual([0, 0])
    expect(await opened.editor.copyTo(target)).toMatchObject({ complete: true, files: 30 })
    expect(await keysOf(target)).toEqual(await opened.storedKeys())
  })

  it('copies no more at once than it may, and tells how far it is', async () => {
    const opened = await open()
    for (let n = 0; n < 12; n++) await opened.addPermanent()
    const target = memoryStorage()
    const { write } = target
    let [now, most] = [0, 0]
    target.write = async (key, body, info) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now--
      return write.call(target, key, body, info)
    }
    const progress: number[] = []
    await opened.editor.copyTo(target, {
      concurrency: 3,
      onProgress: ({ done, files }) => progress.push(done, files),
    })
    expect(most).toBe(3)
    expect(progress.slice(-2)).toEqual([12, 12])
    expect(progress).toHaveLength(24)
  })

  it('refuses options that cannot be', async () => {
    const opened = await open()
    const refused = (target: Storage, options: object): Promise<unknown> =>
      opened.editor.copyTo(target, options)
    await expect(refused(memoryStorage(), { concurrency: 0 })).rejects.toThrow('copyTo.concurrency')
    await expect(refused(memoryStorage(), { compare: 'none' })).rejects.toThrow('copyTo.compare')
  })
})
