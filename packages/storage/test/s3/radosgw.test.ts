import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { storageSuite } from '@quillgate/storage/testing/suites'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeS3 } from '../../../../tests/support/s3-service.ts'
import { s3 } from '../../src/s3/index.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { chunks, failing, info, keysOf, pieces, textOf } from '../../src/testing/storage-bodies.ts'

/** Fetches a URL from the host in `options`, because the service may not listen on `localhost`. */
async function get(url: URL, options: RequestOptions): Promise<string> {
  const request = http.get(url, options)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return text(response)
}

const partSize = 5 * 1024 * 1024
const large = 2 * partSize + 1

describeS3('on radosgw', ({ endpoint, ...credentials }) => {
  const bucket = `media-${randomUUID()}`
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true })
  const open = (options: Partial<S3Options> = {}): ReturnType<typeof s3> =>
    s3({ bucket, prefix: `${randomUUID()}/`, endpoint, credentials, partSize, ...options })

  beforeAll(async () => void (await client.send(new CreateBucketCommand({ Bucket: bucket }))))
  afterAll(() => client.destroy())

  storageSuite('s3', async () => ({ storage: open() }), { listed: 1_100, large, signsUrls: true })

  describe('s3', () => {
    let prefix: string
    beforeEach(() => {
      prefix = `${randomUUID()}/`
    })

    const openUploads = async (): Promise<number> => {
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }),
      )
      return Uploads.length
    }

    it('rejects a wrong signature', async () => {
      const storage = open({ prefix, credentials: { ...credentials, secretAccessKey: 'wrong' } })
      const forbidden = { code: 'storage_failed', cause: { $metadata: { httpStatusCode: 403 } } }
      const calls = [
        storage.write('a/file', chunks('x'), info),
        storage.read('a/file'),
        storage.stat('a/file'),
        storage.remove('a/file'),
      ]
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: forbidden })
      }
      const url = await storage.signedUrl('a/file', {
        expiresIn: 60,
        type: 'image/png',
        disposition: 'inline',
      })
      expect((await fetch(url)).status).toBe(403)
    })

    it('signs URLs that expire', async () => {
      const past = open({ prefix, clock: () => Date.now() - 120_000 })
      await past.write('a/file', chunks('x'), info)
      const options = { type: 'image/png', disposition: 'inline' }
      expect(
        (await fetch(await past.signedUrl('a/file', { ...options, expiresIn: 60 }))).status,
      ).toBe(403)
      expect(
        (await fetch(await past.signedUrl('a/file', { ...options, expiresIn: 600 }))).status,
      ).toBe(200)
    })

    it('signs for the address at which browsers reach the service', async () => {
      const publicEndpoint = endpoint.replace('127.0.0.1', 'localhost')
      const storage = open({ prefix, publicEndpoint })
      await storage.write('a/file', chunks('hello'), info)
      const url = await storage.signedUrl('a/file', {
        expiresIn: 60,
        type: 'text/plain',
        disposition: 'inline',
      })
      expect(new URL(url).origin).toBe(publicEndpoint)
      expect(await (await fetch(url.replace('//localhost', '//127.0.0.1'))).text()).toContain(
        'SignatureDoesNotMatch',
      )
      const address = { hostname: '127.0.0.1', headers: { host: new URL(url).host } }
      expect(await get(new URL(url), address)).toBe('hello')
      await storage.close()
    })

    it('lets only one of several processes write a key', async () => {
      const storages = Array.from({ length: 8 }, () => open({ prefix }))
      const texts = storages.map((_, index) => String(index).repeat(1_000 + index))
      const writes = storages.map((storage, index) =>
        storage.write('a/race', chunks(texts[index] ?? ''), info),
      )
      const results = await Promise.allSettled(writes)
      const winners = texts.filter((_, index) => results[index]?.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      for (const result of results) {
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ code: 'storage_conflict' })
      }
      expect(await textOf(open({ prefix }), 'a/race')).toBe(winners[0])
    })

    it('leaves no parts of an upload that fails', async () => {
      const storage = open({ prefix })
      await expect(
        storage.write('a/large', failing(new Error('gone'), large), info),
      ).rejects.toThrow('gone')
      expect(await openUploads()).toBe(0)
    })

    it('removes the parts of a killed upload after a day', async () => {
      const storage = open({ prefix })
      const { promise: killed, resolve: finish } = Promise.withResolvers<void>()
      const body = (async function* () {
        yield* pieces(partSize + 1)
        await killed
      })()
      const writing = storage.write('a/large', body, info).catch((error: unknown) => error)
      while ((await openUploads()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await keysOf(storage, 'a/')).toEqual([])
      expect(await openUploads()).toBe(1)
      const tomorrow = open({ prefix, clock: () => Date.now() + 25 * 60 * 60 * 1000 })
      expect(await keysOf(tomorrow, 'a/')).toEqual([])
      expect(await openUploads()).toBe(0)
      finish()
      expect(await writing).toMatchObject({ code: 'storage_failed' })
      expect(await keysOf(storage, 'a/')).toEqual([])
    })
  })
})
