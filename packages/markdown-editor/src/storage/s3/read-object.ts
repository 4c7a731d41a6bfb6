import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { ByteRange, StoredBody } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { isMissing, statusOf } from './s3-errors.ts'

/** How often a body that breaks off is asked for again from where it broke. */
const RESUMES = 2

/** What is read: the bytes from `start` to `end` of one version of an object. */
interface Opened {
  readonly size: number
  readonly etag: string | undefined
  /** First byte that is still to come. */
  start: number
  readonly end: number
  body: AsyncIterable<Uint8Array>
}

/** Opens an object, or a range of it; null when there is none. */
export async function readObject(bucket: S3Bucket, key: string, range?: ByteRange): Promise<StoredBody | null> {
  try {
    const opened = await open(bucket, key, range)
    return { size: opened.size, body: toStream(bucket, key, opened) }
  } catch (error) {
    if (isMissing(error)) return null
    if (statusOf(error) !== 416) throw error
    const object = await bucket.head(key)
    return object && { size: object.size, body: ReadableStream.from<Uint8Array>([]) }
  }
}

async function open(bucket: S3Bucket, key: string, range?: ByteRange, etag?: string): Promise<Opened> {
  const input = {
    ...bucket.at(key),
    ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
    ...(etag === undefined ? {} : { IfMatch: etag }),
  }
  const answer = await bucket.requests.call(({ sdk, client, options }) =>
    client.send(new sdk.GetObjectCommand(input), options),
  )
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '') ?? []
  const body = answer.Body as AsyncIterable<Uint8Array> | undefined
  if (!body || answer.ContentLength === undefined || (range && Number(start) !== range.start)) {
    if (body) destroy(body)
    throw storageFailed(
      new Error(`The service answers ${range ? 'a range' : 'a body'} of ${key} in a way that is not S3's`),
    )
  }
  const whole = { size: answer.ContentLength, start: 0, end: answer.ContentLength - 1 }
  const part = { size: Number(size), start: Number(start), end: Number(end) }
  return { ...(range ? part : whole), etag: answer.ETag, body }
}

/** Passes the bytes on as they are asked for, and no others: the source may break off, hang or send too much. */
function toStream(bucket: S3Bucket, key: string, opened: Opened): ReadableStream<Uint8Array> {
  let chunks = opened.body[Symbol.asyncIterator]()
  let resumes = 0
  let isCancelled = false
  const resume = async (error: unknown): Promise<void> => {
    destroy(opened.body)
    if (isCancelled || resumes++ === RESUMES) throw storageFailed(error)
    const again = await open(bucket, key, { start: opened.start, end: opened.end }, opened.etag)
    opened.body = again.body
    chunks = again.body[Symbol.asyncIterator]()
    if (isCancelled) destroy(again.body) // While it was asked for.
  }
  const nextChunk = async (): Promise<Uint8Array | null> => {
    while (opened.start <= opened.end) {
      try {
        const { value, done } = await withTimeout(chunks.next(), bucket.requests.timeout)
        if (done) throw new Error(`The body of ${key} ends ${opened.end - opened.start + 1} bytes too early`)
        opened.start += value.byteLength
        return value
      } catch (error) {
        await resume(error)
      }
    }
    return null
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await nextChunk()
        if (chunk) controller.enqueue(chunk)
        if (opened.start > opened.end) {
          destroy(opened.body)
          controller.close()
        }
      },
      cancel() {
        isCancelled = true
        destroy(opened.body)
      },
    },
    // Nothing is asked for before somebody reads; a reader that pauses must not look like a service that hangs.
    { highWaterMark: 0 },
  )
}

/** Ends a body without waiting for it. */
function destroy(body: GetObjectCommandOutput['Body'] | AsyncIterable<Uint8Array>): void {
  const source = body as { destroy?(): unknown; cancel?(): Promise<unknown> }
  if (source.destroy) source.destroy()
  else source.cancel?.().catch(() => {})
}

async function withTimeout<Result>(promise: Promise<Result>, milliseconds: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = new Error(`The S3 service has sent nothing for ${milliseconds / 1000} seconds`)
  const timer = setTimeout(() => reject(error), milliseconds)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
