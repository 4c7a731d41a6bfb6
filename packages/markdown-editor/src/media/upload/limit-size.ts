import { type QuillgateError, serverError } from '@quillgate/server/core'

/**
 * Yields a file. If it has more than `most` bytes, throws 413 `file_too_large` by default. The
 * upload endpoint does not need it, because its form parser has the same limit.
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
