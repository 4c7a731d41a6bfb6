import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { ByteRange, StoredBody } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { isMissing, statusOf } from './s3-errors.ts'

/** The number of times that an interrupted body is requested again from its current position. */
const RESUMES = 2

/** An open body: the bytes from `start` to `end` of one version of an object. */
interface Opened {
  readonly size: number
  readonly etag: string | undefined
  /** The position of the next byte. */
  start: number
  readonly end: number
  body: AsyncIterable<Uint8Array>
}

/** Opens an object, or a range of it. Returns null if it is missing. */
export async function readObject(
  bucket: S3Bucket,
  key: string,
  range?: ByteRange,
): Promise<StoredBody | null> {
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

async function open(
  bucket: S3Bucket,
  key: string,
  range?: ByteRange,
  etag?: string,
): Promise<Opened> {
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
      new Error(
        `The service answers ${range ? 'a range' : 'a body'} of ${key} in a way that is not S3's`,
      ),
    )
  }
  const whole = { size: answer.ContentLength, start: 0, end: answer.ContentLength - 1 }
  const part = { size: Number(size), start: Number(start), end: Number(end) }
  return { ...(range ? part : whole), etag: answer.ETag, body }
}

/** Streams the requested bytes. The source may be interrupted, hang, or send too many bytes. */
function toStream(bucket: S3Bucket, key: string, opened: Opened): ReadableStream<Uint8Array> {
  const reader = new ResumingReader(bucket, key, opened)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await reader.next()
        if (chunk) controller.enqueue(chunk)
        if (reader.isAtEnd) {
          reader.cancel()
          controller.close()
        }
      },
      cancel: () => reader.cancel(),
    },
    // Bytes are requested only when they are read, so that a slow reader does not look like a
    // hanging service.
    { highWaterMark: 0 },
  )
}

/** Reads a body. If it is interrupted or hangs, the rest is requested again. */
class ResumingReader {
  readonly #bucket: S3Bucket
  readonly #key: string
  readonly #opened: Opened
  #chunks: AsyncIterator<Uint8Array>
  #resumes = 0
  #isCancelled = false
  #interrupt: (reason: Error) => void = () => {}

  constructor(bucket: S3Bucket, key: string, opened: Opened) {
    this.#bucket = bucket
    this.#key = key
    this.#opened = opened
    this.#chunks = opened.body[Symbol.asyncIterator]()
  }

  get isAtEnd(): boolean {
    return this.#opened.start > this.#opened.end
  }

  /** Returns the next bytes; null at the end. */
  async next(): Promise<Uint8Array | null> {
    while (!this.isAtEnd) {
      try {
        const { value, done } = await this.#wait()
        if (done) throw new Error(`The body of ${this.#key} ends too early`)
        this.#opened.start += value.byteLength
        return value
      } catch (error) {
        await this.#resume(error)
      }
    }
    return null
  }

  /** Closes the body, and rejects a pending read. */
  cancel(): void {
    this.#isCancelled = true
    this.#interrupt(new Error(`Reading ${this.#key} was cancelled`))
    destroy(this.#opened.body)
  }

  /** Waits for a chunk until the timeout. */
  async #wait(): Promise<IteratorResult<Uint8Array>> {
    const { timeout } = this.#bucket.requests
    const { promise: interrupted, reject } = Promise.withResolvers<never>()
    this.#interrupt = reject
    const late = (): void =>
      reject(new Error(`The S3 service has sent nothing for ${timeout / 1000} seconds`))
    const timer = setTimeout(late, timeout)
    try {
      return await Promise.race([this.#chunks.next(), interrupted])
    } finally {
      clearTimeout(timer)
      this.#interrupt = () => {}
    }
  }

  async #resume(error: unknown): Promise<void> {
    destroy(this.#opened.body)
    if (this.#isCancelled || this.#resumes++ === RESUMES) throw storageFailed(error)
    const { start, end, etag } = this.#opened
    const { body } = await open(this.#bucket, this.#key, { start, end }, etag)
    this.#opened.body = body
    this.#chunks = body[Symbol.asyncIterator]()
    if (this.#isCancelled) destroy(body) // Cancelled during the request.
  }
}

/** Closes a body without waiting. */
function destroy(body: GetObjectCommandOutput['Body'] | AsyncIterable<Uint8Array>): void {
  const source = body as { destroy?(): unknown; cancel?(): Promise<unknown> }
  if (source.destroy) source.destroy()
  else source.cancel?.().catch(() => {})
}
