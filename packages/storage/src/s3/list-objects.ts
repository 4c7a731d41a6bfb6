import type {
  ListMultipartUploadsCommandOutput,
  ListObjectsV2CommandOutput,
  MultipartUpload,
} from '@aws-sdk/client-s3'
import type { StoredObject } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import { isStorageKey } from '../storage-key.ts'
import { abortUpload } from './multipart-upload.ts'
import { type S3Bucket, toSeconds } from './s3-bucket.ts'
import { isMissing, statusOf } from './s3-errors.ts'

/**
 * Milliseconds after which a multipart upload is abandoned, because its process must have ended.
 */
const UPLOAD_MAX_AGE = 24 * 60 * 60 * 1000

/** Lists the objects under a prefix, page by page. Objects with invalid keys are left out. */
export async function* listObjects(bucket: S3Bucket, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined
  do {
    const page = await listPage(bucket, prefix, token)
    for (const { Key: encoded, Size: size, LastModified: modified } of page.Contents ?? []) {
      const key = decode(encoded ?? '').slice(bucket.prefix.length)
      if (!isStorageKey(key) || size === undefined || !modified) continue
      yield { key, size, modifiedAt: toSeconds(modified) }
    }
    const next = page.IsTruncated ? page.NextContinuationToken : undefined
    if (page.IsTruncated && (!next || next === token)) {
      throw storageFailed(
        new Error('The service lists a page without saying where the next one begins'),
      )
    }
    token = next
  } while (token !== undefined)
}

function listPage(
  bucket: S3Bucket,
  prefix: string,
  token: string | undefined,
): Promise<ListObjectsV2CommandOutput> {
  const input = {
    Bucket: bucket.name,
    Prefix: bucket.prefix + prefix,
    // Keys of other applications may contain characters that are invalid in XML.
    EncodingType: 'url' as const,
    ...(token === undefined ? {} : { ContinuationToken: token }),
  }
  return bucket.requests.call(({ sdk, client, options }) =>
    client.send(new sdk.ListObjectsV2Command(input), options),
  )
}

/** Decodes a key. Returns `''`, which is not a valid key, if the encoding is invalid. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return ''
  }
}

/**
 * Aborts abandoned multipart uploads under a prefix. If the service or a policy does not allow
 * listing them, a lifecycle rule of the bucket must remove them.
 *
 * @param now - in milliseconds since the epoch
 */
export async function abortAbandoned(bucket: S3Bucket, prefix: string, now: number): Promise<void> {
  try {
    for await (const { Key, UploadId, Initiated } of openUploads(bucket, prefix)) {
      if (!Key || !UploadId || !Initiated || Initiated.getTime() >= now - UPLOAD_MAX_AGE) continue
      await abortUpload(bucket, { Bucket: bucket.name, Key: decode(Key), UploadId }).catch(
        unlessGone,
      )
    }
  } catch (error) {
    if (![403, 405, 501].includes(statusOf(error) ?? 0)) throw error
  }
}

async function* openUploads(bucket: S3Bucket, prefix: string): AsyncGenerator<MultipartUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}
  for (;;) {
    const page = await listUploads(bucket, prefix, marker)
    yield* page.Uploads ?? []
    const { NextKeyMarker: key, NextUploadIdMarker: upload } = page
    if (!page.IsTruncated || !key) return
    if (key === marker.KeyMarker && upload === marker.UploadIdMarker) return
    marker = { KeyMarker: decode(key), ...(upload ? { UploadIdMarker: upload } : {}) }
  }
}

function listUploads(
  bucket: S3Bucket,
  prefix: string,
  marker: { KeyMarker?: string; UploadIdMarker?: string },
): Promise<ListMultipartUploadsCommandOutput> {
  const input = {
    Bucket: bucket.name,
    Prefix: bucket.prefix + prefix,
    EncodingType: 'url' as const,
    ...marker,
  }
  return bucket.requests.call(({ sdk, client, options }) =>
    client.send(new sdk.ListMultipartUploadsCommand(input), options),
  )
}

// Ignores uploads that another process has completed or aborted meanwhile.
function unlessGone(error: unknown): void {
  if (statusOf(error) !== 404 && !isMissing(error)) throw error
}
