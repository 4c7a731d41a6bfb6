import type { StoredObject } from '../storage.ts'
import { isStorageKey } from '../storage-key.ts'
import { type S3Bucket, toSeconds } from './s3-bucket.ts'
import { isMissing, statusOf } from './s3-requests.ts'

// In milliseconds. No process works on one upload for so long, so an older upload is abandoned.
const UPLOAD_MAX_AGE = 24 * 60 * 60 * 1000

/** Lists the objects under a prefix. Omits objects with invalid keys. */
export async function* listObjects(bucket: S3Bucket, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined
  do {
    const input = { ...under(bucket, prefix), ContinuationToken: token }
    const page = await bucket.requests.call((send, sdk) =>
      send(new sdk.ListObjectsV2Command(input)),
    )
    for (const { Key, Size: size, LastModified: modified } of page.Contents ?? []) {
      const key = decode(Key).slice(bucket.prefix.length)
      if (!isStorageKey(key) || size === undefined || !modified) continue
      yield { key, size, modifiedAt: toSeconds(modified) }
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

/**
 * Aborts abandoned multipart uploads. Each call handles one page of uploads. If listing uploads is
 * not allowed, does nothing. In this case, the bucket needs a lifecycle rule that aborts uploads.
 */
export async function abortAbandoned(bucket: S3Bucket, prefix: string, now: number): Promise<void> {
  try {
    const { Uploads: uploads = [] } = await bucket.requests.call((send, sdk) =>
      send(new sdk.ListMultipartUploadsCommand(under(bucket, prefix))),
    )
    for (const { Key, UploadId, Initiated: begun } of uploads) {
      if (!begun || begun.getTime() >= now - UPLOAD_MAX_AGE) continue
      const upload = { Bucket: bucket.name, Key: decode(Key), UploadId }
      await bucket.requests
        .call((send, sdk) => send(new sdk.AbortMultipartUploadCommand(upload)))
        .catch(unlessGone)
    }
  } catch (error) {
    if (![403, 405, 501].includes(statusOf(error) ?? 0)) throw error
  }
}

// Requests encoded keys, because keys of other applications may be invalid in XML.
function under(bucket: S3Bucket, prefix: string) {
  return { Bucket: bucket.name, Prefix: bucket.prefix + prefix, EncodingType: 'url' as const }
}

// If the encoding is invalid, returns `''`, which is not a valid key.
function decode(encoded = ''): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return ''
  }
}

// Ignores the error of an upload that another process has already completed or aborted.
function unlessGone(error: unknown): void {
  if (statusOf(error) !== 404 && !isMissing(error)) throw error
}
