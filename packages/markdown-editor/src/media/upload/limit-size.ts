import { serverError } from '@quillgate/server/core'

/** Passes the bytes of a file on. @throws QuillgateError 413 `file_too_large` */
export async function* limitSize(
  body: AsyncIterable<Uint8Array>,
  maxUploadSize: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxUploadSize)
      throw serverError('file_too_large', `A file is larger than ${maxUploadSize} bytes.`)
    yield chunk
  }
}
