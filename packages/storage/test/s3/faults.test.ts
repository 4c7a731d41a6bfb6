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

/** Faults after which trying again helps. */
const passing = ['error', 'busy', 'drop', 'lost', 'slow'] as const

describe('a request that fails once', () => {
  it.each(passing)('%s: is made again by every call', async (fault) => {
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

  it.each(passing)('%s: is made again by a write in parts', async (fault) => {
    service.next('CreateMultipartUpload', fault)
    service.next('UploadPart', null, fault)
    service.next('CompleteMultipartUpload', fault)
    expect(await writeLarge()).toMatchObject({ size: large })
    expect(sizes()).toEqual([['a/file', large]])
  })

  it('error-in-200: does not pass for a success', async () => {
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
  it.each(steps)('%s: leaves nothing of a write in parts', async (operation) => {
    service.always(operation, 'error')
    await expect(writeLarge()).rejects.toMatchObject(failed)
    expect(service.memory.objects.size + service.memory.uploads.size).toBe(0)
  })

  it('tells what is wrong with the service', async () => {
    service.always('PutObject', 'busy')
    const error = await writeSmall().catch((reason: Error) => reason)
    expect(error).toMatchObject({
      ...failed,
      cause: { name: 'SlowDown', $metadata: { httpStatusCode: 503 } },
    })
  })
})

describe('an answer that never arrives', () => {
  it('leaves a write that the service has carried out a success, and its key taken', async () => {
    service.always('PutObject', 'lost')
    expect(await writeSmall()).toMatchObject({ size: 5 })
    service.heal()
    await expect(writeSmall()).rejects.toMatchObject({ code: 'storage_conflict' })
    expect(await textOf(storage, 'a/file')).toBe('hello')
  })

  it('leaves a write in parts a success', async () => {
    service.always('CompleteMultipartUpload', 'lost')
    expect(await writeLarge()).toMatchObject({ size: large })
    expect(service.memory.uploads.size).toBe(0)
  })

  it('never passes off the object of another writer as one of ours', async () => {
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

  it('leaves a copy that was made a success', async () => {
    await writeSmall()
    service.always('CopyObject', 'lost')
    expect(await storage.copy('a/file', 'b/file')).toBe(true)
    expect(await textOf(storage, 'b/file')).toBe('hello')
  })

  it('leaves a removal unsure, and its repetition true', async () => {
    await writeSmall()
    service.always('DeleteObject', 'lost')
    await expect(storage.remove('a/file')).rejects.toMatchObject(failed)
    service.heal()
    expect(await storage.remove('a/file')).toBe(false)
  })

  it('leaves parts behind at worst, which a listing removes a day later', async () => {
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

describe('a body that breaks off on its way to a reader', () => {
  const text = 'x'.repeat(100_000)
  beforeEach(() => storage.write('a/file', chunks(text), info))

  it('goes on where it broke off', async () => {
    service.next('GetObject', 'torn', 'torn')
    expect(await textOf(storage, 'a/file')).toBe(text)
    service.next('GetObject', 'torn')
    const part = await storage.read('a/file', { start: 10, end: 50_009 })
    expect(part?.size).toBe(100_000)
    expect(await new Response(part?.body).text()).toBe('x'.repeat(50_000))
  })

  it('fails when that happens again and again', async () => {
    service.always('GetObject', 'torn')
    const stored = await storage.read('a/file')
    await expect(new Response(stored?.body).text()).rejects.toMatchObject(failed)
  })

  it('is never joined from two objects', async () => {
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
