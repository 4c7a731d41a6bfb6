import { randomUUID } from 'node:crypto'
import { storageConflict } from '../storage-errors.ts'
import { MultipartUpload, SLOW } from './multipart-upload.ts'
import type { S3Bucket, S3Object } from './s3-bucket.ts'
import { isMissing } from './s3-requests.ts'

/** The bytes that one request copies. S3 allows 5 GiB, which would take too long. */
const COPY_SIZE = 512 * 1024 * 1024

/**
 * Copies an object within the service. Objects never change, so an existing target of the same size
 * is the copy.
 *
 * @param pieceSize - in bytes; a larger object is copied in pieces
 * @returns false if the source is missing
 */
export async function copyObject(
  bucket: S3Bucket,
  from: string,
  to: string,
  pieceSize: number = COPY_SIZE,
): Promise<boolean> {
  const source = await bucket.head(from)
  if (!source) return false
  return bucket.locks.run(to, async () => {
    if (await isCopied(bucket, source, to)) return true
    try {
      if (source.size > pieceSize) await copyPieces(bucket, source, to, pieceSize)
      else await copyWhole(bucket, source, to)
      return true
    } catch (error) {
      // Another copy was faster, or this one succeeded and only the response was lost.
      if (await isCopied(bucket, source, to)) return true
      if (isMissing(error)) return false
      throw error
    }
  })
}

async function isCopied(bucket: S3Bucket, source: S3Object, to: string): Promise<boolean> {
  const target = await bucket.head(to)
  if (target && target.size !== source.size) throw storageConflict(to)
  return target !== null
}

function copyWhole(bucket: S3Bucket, source: S3Object, to: string): Promise<void> {
  const input = {
    ...bucket.at(to),
    CopySource: copySource(bucket, source.key),
    CopySourceIfMatch: source.etag,
  }
  return bucket.ifFree(
    'CopyObject',
    (send, sdk, condition) => send(new sdk.CopyObjectCommand({ ...input, ...condition })),
    SLOW,
  )
}

async function copyPieces(
  bucket: S3Bucket,
  { key, size, type, etag, writeToken = randomUUID() }: S3Object,
  to: string,
  pieceSize: number,
): Promise<void> {
  const upload = await MultipartUpload.begin(bucket, to, type, writeToken)
  try {
    for (let start = 0; start < size; start += pieceSize) {
      const end = Math.min(start + pieceSize, size) - 1
      await upload.copy(copySource(bucket, key), etag, start, end)
    }
    await upload.complete()
  } catch (error) {
    await upload.abort()
    throw error
  }
}

function copySource(bucket: S3Bucket, key: string): string {
  const { Bucket, Key } = bucket.at(key)
  return [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/')
}
