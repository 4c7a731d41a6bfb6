import { createHash, randomUUID } from 'node:crypto'
import type { CompletedPart } from '@aws-sdk/client-s3'
import { toParts } from '../parts.ts'
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
