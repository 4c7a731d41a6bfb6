import { createHash, randomUUID } from 'node:crypto'
import { toParts } from '../parts.ts'
import type { WriteResult } from '../storage.ts'
import { storageConflict } from '../storage-errors.ts'
import { MultipartUpload } from './multipart-upload.ts'
import { type S3Bucket, WRITE_TOKEN } from './s3-bucket.ts'
import { isTaken } from './s3-errors.ts'

/** An object to write. */
export interface S3Write {
  readonly key: string
  readonly type: string
  /** In bytes. */
  readonly partSize: number
}

/** A write in progress. Its token identifies its object if a response was lost. */
interface Write extends S3Write {
  readonly bucket: S3Bucket
  readonly token: string
}

/**
 * Stores a body: a small one in one request, a large one in parts. Errors of the body are passed on
 * unchanged.
 */
export async function writeObject(
  bucket: S3Bucket,
  target: S3Write,
  body: AsyncIterable<Uint8Array>,
): Promise<WriteResult> {
  const write: Write = { ...target, bucket, token: randomUUID() }
  const hash = createHash('sha256')
  let size = 0
  let upload: MultipartUpload | null = null
  try {
    for await (const { bytes, isLast } of toParts(body, target.partSize)) {
      hash.update(bytes)
      size += bytes.byteLength
      if (isLast && !upload) await putWhole(write, bytes)
      else {
        upload ??= await MultipartUpload.begin(bucket, target.key, target.type, write.token)
        await upload.send(bytes)
      }
    }
    if (upload) await complete(write, upload)
  } catch (error) {
    await upload?.abort()
    throw error
  }
  return { size, sha256: hash.digest('hex') }
}

function putWhole(write: Write, bytes: Uint8Array): Promise<void> {
  const { bucket, key, type, token } = write
  const input = {
    ...bucket.at(key),
    Body: bytes,
    ContentType: type,
    Metadata: { [WRITE_TOKEN]: token },
  }
  return intoFreeKey(write, async () => {
    await bucket.ifFree('PutObject', ({ sdk, client, options }, condition) =>
      client.send(new sdk.PutObjectCommand({ ...input, ...condition }), options),
    )
  })
}

function complete(write: Write, upload: MultipartUpload): Promise<void> {
  return intoFreeKey(write, async () => {
    try {
      await upload.complete()
    } catch (error) {
      await upload.abort()
      throw error
    }
  })
}

/**
 * Makes an object visible. If the response is lost, the metadata of the object shows whether that
 * succeeded.
 */
function intoFreeKey({ bucket, key, token }: Write, store: () => Promise<void>): Promise<void> {
  return bucket.locks.run(key, async () => {
    if (await bucket.head(key)) throw storageConflict(key)
    try {
      await store()
    } catch (error) {
      const object = await bucket.head(key).catch(() => null)
      if (object?.writeToken === token) return
      throw isTaken(error) ? storageConflict(key) : error
    }
  })
}
