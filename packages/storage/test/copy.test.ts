import { createHash } from 'node:crypto'
import type { Storage } from '@quillgate/storage'
import { copyObjects, type ObjectToCopy } from '@quillgate/storage/copy'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { chunks, info, keysOf, textOf } from '../src/testing/storage-bodies.ts'

/** Writes objects and returns what a caller would have recorded of them. */
async function fill(storage: Storage, texts: Record<string, string>): Promise<ObjectToCopy[]> {
  const objects: ObjectToCopy[] = []
  for (const [key, text] of Object.entries(texts)) {
    const { size, sha256 } = await storage.write(key, chunks(text), info)
    objects.push({ key, size, checksum: sha256, type: 'text/plain' })
  }
  return objects
}

async function* each(objects: readonly ObjectToCopy[]): AsyncGenerator<ObjectToCopy> {
  yield* objects
}

describe('copyObjects', () => {
  it('copies what is listed, and only that; a second run finds it there', async () => {
    const [source, target] = [memoryStorage(), memoryStorage()]
    const objects = await fill(source, { 'a/1': 'one', 'a/2': 'two' })
    await fill(source, { 'a/3': 'not listed' })
    const first = await copyObjects(source, target, { objects: each(objects) })
    expect(first).toMatchObject({ files: 2, copied: 2, bytes: 6, present: 0 })
    expect(await keysOf(target, 'a/')).toEqual(['a/1', 'a/2'])
    expect(await textOf(target, 'a/2')).toBe('two')
    const second = await copyObjects(source, target, { objects: each(objects) })
    expect(second).toMatchObject({ files: 2, copied: 0, bytes: 0, present: 2 })
  })

  it('reports what the source has lost or damaged, and copies nothing of it', async () => {
    const [source, target] = [memoryStorage(), memoryStorage()]
    const [gone, bad] = await fill(source, { 'a/gone': 'one', 'a/bad': 'two' })
    await source.remove('a/gone')
    const checksum = createHash('sha256').update('TWO').digest('hex')
    const objects = [gone, bad && { ...bad, checksum }].filter((object) => object !== undefined)
    const { lost } = await copyObjects(source, target, { objects: each(objects) })
    expect(lost).toEqual({
      count: 2,
      items: expect.arrayContaining([
        { key: 'a/gone', problem: 'missing' },
        { key: 'a/bad', problem: 'damaged' },
      ]),
    })
    expect(await keysOf(target, 'a/')).toEqual([])
  })

  it('follows objects that move, and leaves out those that are not needed any more', async () => {
    const [source, target] = [memoryStorage(), memoryStorage()]
    const objects = await fill(source, { 'a/moved': 'one', 'a/old': 'two', 'a/lost': 'three' })
    for (const { key } of objects) await source.remove(key)
    const [moved] = await fill(source, { 'b/moved': 'one' })
    const report = await copyObjects(source, target, {
      objects: each(objects),
      locate: async (object) => {
        if (object.key === 'a/moved') return moved ?? null
        return object.key === 'a/lost' ? object : null
      },
    })
    expect(report).toMatchObject({ files: 3, copied: 1 })
    expect(report.lost.items).toEqual([{ key: 'a/lost', problem: 'missing' }])
    expect(await keysOf(target, 'b/')).toEqual(['b/moved'])
  })

  it('copies only as many at once as it may, and reads no further than that', async () => {
    const [source, target] = [memoryStorage(), memoryStorage()]
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a/${n}`, `${n}`]))
    const objects = await fill(source, texts)
    let [read, done, ahead] = [0, 0, 0]
    async function* counted(): AsyncGenerator<ObjectToCopy> {
      for (const object of objects) {
        ahead = Math.max(ahead, ++read - done)
        yield object
      }
    }
    const work = { objects: counted(), onProgress: () => void done++ }
    await copyObjects(source, target, work, { concurrency: 4 })
    expect([read, done]).toEqual([20, 20])
    expect(ahead).toBeLessThanOrEqual(4)
  })

  it('refuses a storage as its own target, and wrong options', async () => {
    const storage = memoryStorage()
    const work = { objects: each([]) }
    await expect(copyObjects(storage, storage, work)).rejects.toMatchObject({
      code: 'same_storage',
    })
    const other = copyObjects(storage, memoryStorage(), work, { concurrency: 0 })
    await expect(other).rejects.toThrow('copyObjects.concurrency')
  })
})
