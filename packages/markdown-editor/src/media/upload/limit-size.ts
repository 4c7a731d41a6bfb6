import { type QuillgateError, serverError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'

/**
 * Yields the bytes of a file. If the file has more than `most` bytes, throws the error that
 * `tooLarge` creates. By default, the error is 413 `file_too_large`.
 */
export async function* limitSize(
  body: AsyncIterable<Uint8Array>,
  most: number,
  tooLarge: () => QuillgateError = () =>
    serverError('file_too_large', `A file is larger than ${most} bytes.`),
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > most) throw tooLarge()
    yield chunk
  }
}

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
