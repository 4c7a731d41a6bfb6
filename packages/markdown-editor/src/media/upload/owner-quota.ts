import type { QuillgateError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'

/** Returns a body that throws 413 `quota_exceeded` if it exceeds the rest of the owner's quota. */
export async function boundByQuota(
  ledger: Pick<MediaLedger, 'usage'>,
  limit: number | null,
  owner: string,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  if (limit === null) return body
  const left = limit - (await ledger.usage(owner))
  if (left <= 0) throw quotaExceeded(limit)
  return readAtMost(left, body, limit)
}

async function* readAtMost(
  length: number,
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of body) {
    left -= chunk.byteLength
    if (left < 0) throw quotaExceeded(limit)
    yield chunk
  }
}

/** Creates the error 413 `quota_exceeded`. */
export function quotaExceeded(limit: number | null): QuillgateError {
  const detail = `Your files would exceed the quota of ${limit} bytes. Delete some first.`
  return editorError('quota_exceeded', detail)
}
