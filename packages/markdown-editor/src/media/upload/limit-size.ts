import { type QuillgateError, serverError } from '@quillgate/server/core'

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
