import { createHash, randomUUID } from 'node:crypto'
import type { CompletedPart } from '@aws-sdk/client-s3'
import type { WriteResult } from '../storage.ts'
import { storageConflict } from '../storage-errors.ts'
import { type S3Bucket, SLOW, WRITE_TOKEN } from './s3-bucket.ts'
import { statusOf } from './s3-requests.ts'

/** Stores a body. Sends a small body in one request and a large body in parts. */
export async function writeObject(
  bucket: S3Bucket,
  { key, type, partSize }: { key: string; type: string; partSize: number },
  body: AsyncIterable<Uint8Array>,
): Promise<WriteResult> {
  const token = randomUUID()
  const store = (step: () => Promise<void>) => storeFree(bucket, key, token, step)
  const hash = createHash('sha256')
  let size = 0
  let upload: Awaited<ReturnType<typeof beginUpload>> | null = null
  try {
    for await (const { bytes, isLast } of toParts(body, partSize)) {
      hash.update(bytes)
      size += bytes.byteLength
      if (isLast && !upload) await store(() => putObject(bucket, { key, type, token, bytes }))
      else {
        upload ??= await beginUpload(bucket, key, type, token)
        await upload.send(bytes)
      }
    }
    const finished = upload
    if (finished) await store(() => finished.complete())
  } catch (error) {
    await upload?.abort()
    throw error
  }
  return { size, sha256: hash.digest('hex') }
}

// If the response is lost, the token in the metadata of the object shows whether the write
// succeeded.
function storeFree(
  bucket: S3Bucket,
  key: string,
  token: string,
  store: () => Promise<void>,
): Promise<void> {
  return bucket.locks.run(key, async () => {
    if (await bucket.head(key)) throw storageConflict(key)
    try {
      await store()
    } catch (error) {
      const object = await bucket.head(key).catch(() => null)
      if (object?.writeToken === token) return
      throw statusOf(error) === 412 ? storageConflict(key) : error
    }
  })
}

function putObject(
  bucket: S3Bucket,
  { key, type, token, bytes }: { key: string; type: string; token: string; bytes: Uint8Array },
): Promise<void> {
  const input = {
    ...bucket.at(key),
    Body: bytes,
    ContentType: type,
    Metadata: { [WRITE_TOKEN]: token },
  }
  return bucket.ifFree('PutObject', (send, sdk, condition) =>
    send(new sdk.PutObjectCommand({ ...input, ...condition })),
  )
}

/** The object is not visible before `complete`. */
async function beginUpload(bucket: S3Bucket, key: string, type: string, token: string) {
  const { requests } = bucket
  const input = { ...bucket.at(key), ContentType: type, Metadata: { [WRITE_TOKEN]: token } }
  const { UploadId } = await requests.call((send, sdk) =>
    send(new sdk.CreateMultipartUploadCommand(input)),
  )
  const target = { ...bucket.at(key), UploadId }
  const parts: CompletedPart[] = []
  let sending: Promise<void> = Promise.resolve()
  /**
   * Aborts the upload. If this fails, `list` removes the parts later. Never rejects. Afterwards, a
   * call of `complete` that is still in progress at the service cannot succeed.
   */
  const abort = async (): Promise<void> => {
    await sending.catch(() => {})
    await requests
      .call((send, sdk) => send(new sdk.AbortMultipartUploadCommand(target)))
      .catch(() => {})
  }
  return {
    abort,
    /** @param bytes must not change until the next call of any method resolves */
    async send(bytes: Uint8Array): Promise<void> {
      await sending
      const PartNumber = parts.length + 1
      const part = { ...target, PartNumber, Body: bytes }
      sending = requests
        .call((send, sdk) => send(new sdk.UploadPartCommand(part)))
        .then(({ ETag }) => void parts.push({ PartNumber, ETag }))
      sending.catch(() => {}) // The next call awaits `sending` and throws its error.
    },
    /** Makes the object visible if its key is free. */
    async complete(): Promise<void> {
      try {
        await sending
        const whole = { ...target, MultipartUpload: { Parts: parts } }
        await bucket.ifFree(
          'CompleteMultipartUpload',
          (send, sdk, condition) =>
            send(new sdk.CompleteMultipartUploadCommand({ ...whole, ...condition })),
          SLOW,
        )
      } catch (error) {
        await abort()
        throw error
      }
    },
  }
}

const FIRST_SIZE = 64 * 1024

/**
 * Splits a body into parts of `partSize` bytes. The last part may be smaller. If the body is empty,
 * the only part is empty. Two parts are in memory: one is sent while the other is filled. So the
 * memory of a part is reused for the part after the next part.
 */
async function* toParts(
  body: AsyncIterable<Uint8Array>,
  partSize: number,
): AsyncGenerator<{ bytes: Uint8Array; isLast: boolean }> {
  let filling: Uint8Array = Buffer.alloc(0)
  let other: Uint8Array = Buffer.alloc(0)
  let length = 0
  for await (const chunk of body) {
    let rest = chunk
    while (rest.byteLength > 0) {
      // Waits for more bytes before it yields a full part. Otherwise, the last part could be empty.
      if (length === partSize) {
        yield { bytes: filling, isLast: false }
        const sent = filling
        filling = other
        other = sent
        length = 0
      }
      const taken = rest.subarray(0, partSize - length)
      filling = reserve(filling, length + taken.byteLength, partSize)
      filling.set(taken, length)
      length += taken.byteLength
      rest = rest.subarray(taken.byteLength)
    }
  }
  yield { bytes: filling.subarray(0, length), isLast: true }
}

// Grows the memory as needed, so that a small body needs little memory.
function reserve(memory: Uint8Array, size: number, limit: number): Uint8Array {
  if (size <= memory.byteLength) return memory
  return Buffer.concat([memory], Math.min(limit, Math.max(size, 2 * memory.byteLength, FIRST_SIZE)))
}
