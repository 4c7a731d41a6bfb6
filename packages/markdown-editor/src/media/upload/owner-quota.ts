import type { QuillgateError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import { limitSize } from './limit-size.ts'

/** Limits a body to the rest of the owner's quota. Throws 413 `quota_exceeded` for more bytes. */
export async function boundByQuota(
  ledger: Pick<MediaLedger, 'usage'>,
  limit: number | null,
  owner: string,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  if (limit === null) return body
  const left = limit - (await ledger.usage(owner))
  if (left <= 0) throw quotaExceeded(limit)
  return limitSize(body, left, () => quotaExceeded(limit))
}

/** Creates the error 413 `quota_exceeded`. */
export function quotaExceeded(limit: number | null): QuillgateError {
  const detail = `Your files would exceed the quota of ${limit} bytes. Delete some files first.`
  return editorError('quota_exceeded', detail)
}
