import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Storage } from '../../src/index.ts'
import { chunks, info, keysOf, pieces, textOf } from '../../src/testing/storage-bodies.ts'
import { expectAllToFail, failed } from '../failures.ts'
import { FaultyS3 } from './faulty-s3.ts'
import type { S3Operation } from './s3-wire.ts'

const partSize = 5 * 1024 * 1024
const large = 2 * partSize + 1

let service: FaultyS3
let storage: Storage

beforeEach(async () => {
  service = await FaultyS3.start()
  storage = service.storage({ partSize })
})

afterEach(async () => {
  await storage.close?.()
  await service.close()
})

const writeSmall = () => storage.write('a/file', chunks('hello'), info)
const writeLarge = () => storage.write('a/file', ReadableStream.from(pieces(large)), info)
const sizes = () => [...service.memory.objects].map(([key, { bytes }]) => [key, bytes.length])

/** Faults after which a retry succeeds. */
const passing = ['error', 'busy', 'drop', 'lost', 'slow'] as const

describe('a request that fails once', () => {
  it.each(passing)('%s: is retried by every call', async (fault) => {
    for (const operation of ['HeadObject', 'PutObject'] as const) service.next(operation, fault)
    expect(await writeSmall()).toMatchObject({ size: 5 })
    for (const operation of ['HeadObject', 'CopyObject'] as const) service.next(operation, fault)
    expect(await storage.copy('a/file', 'b/file')).toBe(true)
    service.next('GetObject', fault)
    expect(await textOf(storage, 'b/file')).toBe('hello')
    service.next('DeleteObject', fault)
    expect(await storage.remove('a/file')).toBe(true)
    expect(await storage.remove('a/file')).toBe(false)
    for (const operation of ['ListObjectsV2', 'ListMultipartUploads'] as const)
      service.next(operation, fault)
    expect(await keysOf(storage, 'b/')).toEqual(['b/file'])
    expect(sizes()).toEqual([['b/file', 5]])
  })

  it.each(passing)('%s: is retried by a write in parts', async (fault) => {
    service.next('CreateMultipartUpload', fault)
    service.next('UploadPart', null, fault)
    service.next('CompleteMultipartUpload', fault)
    expect(await writeLarge()).toMatchObject({ size: large })
    expect(sizes()).toEqual([['a/file', large]])
  })

  it('error-in-200: is not treated as a success', async () => {
    service.next('CompleteMultipartUpload', 'error-in-200')
    expect(await writeLarge()).toMatchObject({ size: large })
    service.next('CopyObject', 'error-in-200')
    expect(await storage.copy('a/file', 'b/file')).toBe(true)
    expect(sizes()).toEqual([
      ['a/file', large],
      ['b/file', large],
    ])
  })
})

describe('a service that keeps failing', () => {
  const breaking = ['error', 'busy', 'drop'] as const

  it.each(breaking)(
    '%s: ends each call with storage_failed, and changes nothing',
    async (fault) => {
      await writeSmall()
      for (const operation of operations) service.always(operation, fault)
      await expectAllToFail(storage)
      service.heal()
      expect(sizes()).toEqual([['a/file', 5]])
    },
  )

  const steps = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'] as const
  it.each(steps)('%s: leaves no parts of a write in parts', async (operation) => {
    service.always(operation, 'error')
    await expect(writeLarge()).rejects.toMatchObject(failed)
    expect(service.memory.objects.size + service.memory.uploads.size).toBe(0)
  })

  it('fails a write in parts if only the first part can be stored', async () => {
    service.next('UploadPart', null)
    service.always('UploadPart', 'error')
    service.always('AbortMultipartUpload', 'error')
    await expect(writeLarge()).rejects.toMatchObject(failed)
    expect([...service.memory.uploads.values()].map(({ parts }) => parts.size)).toEqual([1])
  })

  it('reports the error of the service', async () => {
    service.always('PutObject', 'busy')
    const error = await writeSmall().catch((reason: Error) => reason)
    expect(error).toMatchObject({
      ...failed,
      cause: { name: 'SlowDown', $metadata: { httpStatusCode: 503 } },
    })
  })
})

describe('a lost answer', () => {
  it('does not fail a write that the service has completed, and its key is taken', async () => {
    service.always('PutObject', 'lost')
    expect(await writeSmall()).toMatchObject({ size: 5 })
    service.heal()
    await expect(writeSmall()).rejects.toMatchObject({ code: 'storage_conflict' })
    expect(await textOf(storage, 'a/file')).toBe('hello')
  })

  it('does not fail a completed write in parts', async () => {
    service.always('CompleteMultipartUpload', 'lost')
    expect(await writeLarge()).toMatchObject({ size: large })
    expect(service.memory.uploads.size).toBe(0)
  })

  it('never accepts the object of another writer as its own', async () => {
    service.next('HeadObject', null)
    service.next('PutObject', 'lost', null)
    const other = service.storage()
    const [mine, theirs] = await Promise.allSettled([
      writeSmall(),
      other.write('a/file', chunks('THEIRS'), info),
    ])
    const winner = mine.status === 'fulfilled' ? 'hello' : 'THEIRS'
    expect([mine.status, theirs.status].sort()).toEqual(['fulfilled', 'rejected'])
    expect(await textOf(storage, 'a/file')).toBe(winner)
    await other.close()
  })

  it('does not fail a completed copy', async () => {
    await writeSmall()
    service.always('CopyObject', 'lost')
    expect(await storage.copy('a/file', 'b/file')).toBe(true)
    expect(await textOf(storage, 'b/file')).toBe('hello')
  })

  it('may fail a removal, which can be repeated', async () => {
    await writeSmall()
    service.always('DeleteObject', 'lost')
    await expect(storage.remove('a/file')).rejects.toMatchObject(failed)
    service.heal()
    expect(await storage.remove('a/file')).toBe(false)
  })

  it('may leave parts behind, which a listing removes a day later', async () => {
    service.always('AbortMultipartUpload', 'error')
    service.always('UploadPart', 'error')
    await expect(writeLarge()).rejects.toMatchObject(failed)
    service.heal()
    expect(await keysOf(storage, 'a/')).toEqual([])
    expect(service.memory.uploads.size).toBe(1)
    const day = 24 * 60 * 60 * 1000
    const tomorrow = service.storage({ clock: () => Date.now() + day + 1000 })
    expect(await keysOf(tomorrow, 'b/')).toEqual([])
    expect(service.memory.uploads.size).toBe(1)
    expect(await keysOf(tomorrow, 'a/')).toEqual([])
    expect(service.memory.uploads.size).toBe(0)
    await tomorrow.close()
  })
})

describe('a body that is interrupted', () => {
  const text = 'x'.repeat(100_000)
  beforeEach(() => storage.write('a/file', chunks(text), info))

  it('continues at the interruption', async () => {
    service.next('GetObject', 'torn', 'torn')
    expect(await textOf(storage, 'a/file')).toBe(text)
    service.next('GetObject', 'torn')
    const part = await storage.read('a/file', { start: 10, end: 50_009 })
    expect(part?.size).toBe(100_000)
    expect(await new Response(part?.body).text()).toBe('x'.repeat(50_000))
  })

  it('fails after repeated interruptions', async () => {
    service.always('GetObject', 'torn')
    const stored = await storage.read('a/file')
    await expect(new Response(stored?.body).text()).rejects.toMatchObject(failed)
  })

  it('never mixes two objects', async () => {
    service.next('GetObject', 'torn')
    const stored = await storage.read('a/file')
    await storage.remove('a/file')
    await storage.write('a/file', chunks('y'.repeat(100_000)), info)
    await expect(new Response(stored?.body).text()).rejects.toMatchObject(failed)
  })
})

const operations: readonly S3Operation[] = [
  'HeadObject',
  'GetObject',
  'PutObject',
  'CopyObject',
  'DeleteObject',
  'ListObjectsV2',
  'ListMultipartUploads',
]
