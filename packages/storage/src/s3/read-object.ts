import { addAbortSignal, type Readable } from 'node:stream'
import { withTimeout } from '@quillgate/server/core'
import type { ByteRange, StoredBody } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import { toStream } from '../to-stream.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { isMissing, statusOf } from './s3-requests.ts'

const RESUMES = 2 // The maximum number of requests that continue an interrupted body.

/** Opens an object, or a range of it. Returns null if it is missing. */
export async function readObject(
  bucket: S3Bucket,
  key: string,
  range?: ByteRange,
): Promise<StoredBody | null> {
  const reading = new AbortController()
  try {
    const opened = await openObject(bucket, key, reading.signal, range)
    const chunks = readChunks(bucket, key, reading.signal, opened)
    return { size: opened.size, body: toStream(chunks, () => reading.abort()) }
  } catch (error) {
    if (isMissing(error)) return null
    if (statusOf(error) !== 416) throw error
    const object = await bucket.head(key)
    return object && { size: object.size, body: ReadableStream.from<Uint8Array>([]) }
  }
}

/** @param signal closes the body when it is aborted */
async function openObject(
  bucket: S3Bucket,
  key: string,
  signal: AbortSignal,
  range?: ByteRange,
  etag?: string,
) {
  const input = {
    ...bucket.at(key),
    Range: range && `bytes=${range.start}-${range.end}`,
    IfMatch: etag,
  }
  const answer = await bucket.requests.call((send, sdk) => send(new sdk.GetObjectCommand(input)))
  const body = answer.Body as Readable | undefined // In Node.js, the SDK always returns this type.
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '') ?? []
  const length = answer.ContentLength
  if (!body || length === undefined || (range && Number(start) !== range.start)) {
    body?.destroy()
    const what = range ? 'a range' : 'a body'
    throw storageFailed(
      new Error(`The service's response for ${key} (${what}) is not a valid response of S3`),
    )
  }
  addAbortSignal(signal, body)
  const whole = { size: length, start: 0, end: length - 1 }
  const part = { size: Number(size), start: Number(start), end: Number(end) }
  return { ...(range ? part : whole), etag: answer.ETag, body }
}

async function* readChunks(
  bucket: S3Bucket,
  key: string,
  signal: AbortSignal,
  { start, end, etag, body }: Awaited<ReturnType<typeof openObject>>,
): AsyncGenerator<Uint8Array> {
  let position = start
  let source = body
  for (let resumes = 0; ; resumes++) {
    try {
      for await (const chunk of withIdleTimeout(source, bucket.requests.timeout)) {
        position += chunk.byteLength
        yield chunk
      }
      if (position > end) return
      throw new Error(`The body of ${key} ends too early`)
    } catch (error) {
      if (signal.aborted || resumes === RESUMES) throw error
      const rest = await openObject(bucket, key, signal, { start: position, end }, etag)
      source = rest.body
    }
  }
}

// If no chunk arrives for `timeout` seconds, closes the source and throws.
async function* withIdleTimeout(source: Readable, timeout: number): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const late = (): never => {
    throw new Error(`The S3 service has sent nothing for ${timeout} seconds`)
  }
  try {
    for (;;) {
      const { value, done } = await withTimeout(timeout, chunks.next(), late)
      if (done) return
      yield value
    }
  } finally {
    source.destroy()
  }
}
