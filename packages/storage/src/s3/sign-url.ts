import { loadPackage } from '@quillgate/server/core'
import { checkExpiry } from '../signed-url.ts'
import type { SignedUrlOptions } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import type { S3Bucket } from './s3-bucket.ts'

/**
 * Signs a URL for reading an object, without a request.
 *
 * @param now - in milliseconds since the epoch
 */
export async function signUrl(
  bucket: S3Bucket,
  key: string,
  options: SignedUrlOptions,
  now: number,
): Promise<string> {
  const { expiresIn, type, disposition } = options
  checkExpiry(expiresIn)
  const { sdk, client } = await bucket.requests.connectForBrowsers()
  const { getSignedUrl } = await loadPackage(
    '@aws-sdk/s3-request-presigner',
    's3().signedUrl',
    () => import('@aws-sdk/s3-request-presigner'),
  )
  const input = {
    ...bucket.at(key),
    ResponseContentType: type,
    ResponseContentDisposition: disposition,
  }
  try {
    return await getSignedUrl(client, new sdk.GetObjectCommand(input), {
      expiresIn,
      signingDate: new Date(now),
    })
  } catch (error) {
    throw storageFailed(error) // The credentials are missing or could not be fetched.
  }
}
