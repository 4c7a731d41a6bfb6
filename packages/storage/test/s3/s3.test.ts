import { afterEach, describe, expect, it } from 'vitest'
import { chunks, info, keysOf, pieces } from '../../src/testing/storage-bodies.ts'
import { FaultyS3 } from './faulty-s3.ts'
import type { MemoryS3Options } from './memory-s3.ts'

const partSize = 5 * 1024 * 1024
const conflict = { code: 'storage_conflict' }

const running: FaultyS3[] = []
const start = async (options?: MemoryS3Options): Promise<FaultyS3> => {
  const service = await FaultyS3.start(options)
  running.push(service)
  return service
}
afterEach(() => Promise.all(running.splice(0).map((service) => service.close())))

describe('s3 and conditions', () => {
  it.each(['kept', 'ignored', 'refused'] as const)(
    '%s: an existing object is never replaced',
    async (conditions) => {
      const service = await start({ conditions })
      const storage = service.storage({ partSize })
      const large = () => ReadableStream.from(pieces(partSize + 1))
      await storage.write('a/file', chunks('first'), info)
      await expect(storage.write('a/file', chunks('other'), info)).rejects.toMatchObject(conflict)
      await expect(storage.write('a/file', large(), info)).rejects.toMatchObject(conflict)
      await storage.write('a/large', large(), info)
      await expect(storage.copy('a/file', 'a/large')).rejects.toMatchObject(conflict)
      expect(await storage.copy('a/file', 'a/copy')).toBe(true)
      expect(await storage.copy('a/file', 'a/copy')).toBe(true)
      expect([...service.memory.objects].map(([key, { bytes }]) => [key, bytes.length])).toEqual([
        ['a/file', 5],
        ['a/large', partSize + 1],
        ['a/copy', 5],
      ])
      expect(service.memory.uploads.size).toBe(0)
    },
  )

  it.each(['kept', 'ignored', 'refused'] as const)(
    '%s: one of several writers of a process succeeds',
    async (conditions) => {
      const storage = (await start({ conditions })).storage({ partSize })
      const bodies = [chunks('small'), chunks('other'), ReadableStream.from(pieces(partSize + 1))]
      const results = await Promise.allSettled(
        bodies.map((body) => storage.write('a/race', body, info)),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    },
  )

  it('rejects one of two processes that both found a free key', async () => {
    const service = await start()
    const [one, two] = [service.storage(), service.storage()]
    service.next('PutObject', 'hang') // The first writer gets no answer.
    const first = one.write('a/file', chunks('first'), info).catch((error: unknown) => error)
    while (!service.requests.includes('PutObject'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    await expect(two.write('a/file', chunks('second'), info)).resolves.toMatchObject({ size: 6 })
    await service.close()
    running.splice(0)
    expect(await first).toMatchObject({ code: expect.stringMatching(/^storage_/) })
  })
})

describe('s3', () => {
  it('keeps at most two parts of a body in memory', async () => {
    const service = await start()
    const storage = service.storage({ partSize })
    service.next('UploadPart', 'hang')
    let asked = 0
    const body = (async function* () {
      for (const piece of pieces(10 * partSize)) {
        asked += piece.byteLength
        yield piece
      }
    })()
    const writing = storage.write('a/large', body, info).catch((error: unknown) => error)
    while (!service.requests.includes('UploadPart'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
    // The first part is being sent, the second part is full, and one more chunk was read.
    expect(asked).toBe(2 * partSize + 64 * 1024)
    await service.close()
    running.splice(0)
    await writing
  })

  it('stores all objects under its prefix', async () => {
    const service = await start()
    const storage = service.storage({ prefix: 'app/media' })
    await storage.write('a/file', chunks('x'), info)
    await storage.copy('a/file', 'b/file')
    expect([...service.memory.objects.keys()]).toEqual(['app/media/a/file', 'app/media/b/file'])
    expect(await keysOf(storage, 'a/')).toEqual(['a/file'])
    expect(await storage.remove('a/file')).toBe(true)
    expect(await keysOf(service.storage(), 'a/')).toEqual([])
  })

  it('does not list objects of others whose names are not keys', async () => {
    const service = await start()
    const storage = service.storage()
    await storage.write('a/file', chunks('x'), info)
    const object = service.memory.objects.get('a/file')!
    for (const key of ['a/', 'a/My Photo.png', 'a/.hidden', 'a/\u0001', 'a/x+y', 'a//b'])
      service.memory.objects.set(key, object)
    expect(await keysOf(storage, 'a/')).toEqual(['a/file'])
  })

  it('does not treat a missing bucket as an empty one', async () => {
    const storage = (await start()).storage({ bucket: 'no-bucket' })
    const calls = [
      storage.stat('a/file'),
      storage.read('a/file'),
      storage.remove('a/file'),
      keysOf(storage, 'a/'),
    ]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'storage_failed' } })
    }
  })

  it('stores and returns the type of a file', async () => {
    const service = await start()
    await service.storage().write('a/photo', chunks('x'), { type: 'image/png' })
    expect(service.memory.objects.get('a/photo')?.headers['content-type']).toBe('image/png')
  })
})
