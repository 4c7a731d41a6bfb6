import { storageConflict } from '../storage-errors.ts'
import { type S3Bucket, type S3Object, SLOW } from './s3-bucket.ts'
import { isMissing } from './s3-requests.ts'

/** Copies an object of at most 5 GiB. If a target of the same size exists, does nothing. */
export async function copyObject(bucket: S3Bucket, from: string, to: string): Promise<boolean> {
  const source = await bucket.head(from)
  if (!source) return false
  return bucket.locks.run(to, async () => {
    if (await isCopied(bucket, source, to)) return true
    try {
      await copyTo(bucket, source, to)
      return true
    } catch (error) {
      // Another call may have been faster, or only the response to this call was lost.
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

function copyTo(bucket: S3Bucket, { key, etag }: S3Object, to: string): Promise<void> {
  const { Bucket, Key } = bucket.at(key)
  const input = {
    ...bucket.at(to),
    CopySource: [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/'),
    CopySourceIfMatch: etag,
  }
  return bucket.ifFree(
    'CopyObject',
    (send, sdk, condition) => send(new sdk.CopyObjectCommand({ ...input, ...condition })),
    SLOW,
  )
}
