import { describe, expect, it } from 'vitest'
import { chunks, info, keysOf, pieces, textOf } from '../../src/testing/storage-bodies.ts'
import { expectAllToFail, failed } from '../failures.ts'
import { FaultyS3 } from './faulty-s3.ts'

const partSize = 5 * 1024 * 1024

/** Returns a test that has its own service, so that these tests can wait concurrently. */
function withService(
  test: (given: { service: FaultyS3; storage: ReturnType<FaultyS3['storage']> }) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const service = await FaultyS3.start()
    const storage = service.storage({ partSize, timeout: 2 })
    try {
      await storage.write('a/file', chunks('hello'), info)
      await test({ service, storage })
    } finally {
      await storage.close()
      await service.close()
    }
  }
}

describe.concurrent('a service that does not answer', { timeout: 60_000 }, () => {
  for (const fault of ['hang', 'hang-after'] as const) {
    it(
      `${fault}: gets the request again`,
      withService(async ({ service, storage }) => {
        for (const operation of [
          'HeadObject',
          'PutObject',
          'GetObject',
          'ListObjectsV2',
        ] as const) {
          service.next(operation, fault)
        }
        const calls = [
          storage.write('b/file', chunks('other'), info),
          textOf(storage, 'a/file'),
          keysOf(storage, 'a/'),
        ]
        expect(await Promise.all(calls)).toMatchObject([{ size: 5 }, 'hello', ['a/file']])
        service.next('DeleteObject', fault)
        expect(await storage.remove('b/file')).toBe(true)
        expect([...service.memory.objects.keys()]).toEqual(['a/file'])
      }),
    )

    it(
      `${fault}: gets the requests for a part and a copy again`,
      withService(async ({ service, storage }) => {
        for (const operation of ['CopyObject', 'CreateMultipartUpload', 'UploadPart'] as const) {
          service.next(operation, fault)
        }
        const size = partSize + 1
        const calls = [
          storage.write('b/large', ReadableStream.from(pieces(size)), info),
          storage.copy('a/file', 'b/file'),
        ]
        expect(await Promise.all(calls)).toMatchObject([{ size }, true])
      }),
    )
  }

  it(
    'ends each call with storage_failed, and changes nothing',
    withService(async ({ service, storage }) => {
      for (const operation of ['HeadObject', 'GetObject', 'ListMultipartUploads'] as const) {
        service.always(operation, 'hang')
      }
      await expectAllToFail(storage)
      expect([...service.memory.objects.keys()]).toEqual(['a/file'])
    }),
  )

  it(
    'ends a call with storage_failed if it stops in the middle of an answer',
    withService(async ({ service, storage }) => {
      service.always('ListMultipartUploads', 'stuck')
      await expect(keysOf(storage, 'a/')).rejects.toMatchObject(failed)
    }),
  )

  it(
    'gets a request for the rest of a body if it stops in the middle',
    withService(async ({ service, storage }) => {
      service.next('GetObject', 'stuck')
      expect(await textOf(storage, 'a/file')).toBe('hello')
      service.always('GetObject', 'stuck')
      await expect(textOf(storage, 'a/file')).rejects.toMatchObject(failed)
    }),
  )

  it(
    'gets no further request for a reader that has cancelled',
    withService(async ({ service, storage }) => {
      service.next('GetObject', 'stuck')
      const reader = (await storage.read('a/file'))?.body.getReader()
      await reader?.read()
      const reading = reader?.read()
      await new Promise((resolve) => setImmediate(resolve)) // Afterwards, the stream waits for the service.
      await reader?.cancel()
      expect(await reading).toEqual({ value: undefined, done: true })
      // A further GetObject request would have arrived before these requests.
      for (let turn = 0; turn < 5; turn++) await storage.stat('a/file')
      expect(service.requests.filter((name) => name === 'GetObject')).toHaveLength(1)
      await expect.poll(() => service.unanswered()).toBe(0)
    }),
  )

  it(
    'does not block other calls if many bodies are open',
    withService(async ({ service, storage }) => {
      service.always('GetObject', 'stuck')
      const held = await Promise.all(Array.from({ length: 60 }, () => storage.read('a/file')))
      expect(await storage.stat('a/file')).toMatchObject({ size: 5 })
      await Promise.all(held.map((stored) => stored?.body.cancel()))
    }),
  )

  it(
    'is not confused with a reader that pauses',
    withService(async ({ service, storage }) => {
      await storage.write('a/large', ReadableStream.from(pieces(partSize)), info)
      const stored = await storage.read('a/large')
      let length = 0
      for await (const chunk of stored?.body ?? []) {
        if (length === 0) await new Promise((resolve) => setTimeout(resolve, 3_000))
        length += chunk.byteLength
      }
      expect(length).toBe(partSize)
      expect(service.requests.filter((name) => name === 'GetObject')).toHaveLength(1)
    }),
  )

  it(
    'fails the call if it should return the credentials',
    withService(async ({ service }) => {
      const storage = service.storage({ timeout: 1, credentials: () => new Promise(() => {}) })
      await expect(storage.stat('a/file')).rejects.toMatchObject(failed)
      await storage.close()
    }),
  )
})
