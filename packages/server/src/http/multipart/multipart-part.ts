import type { BusboyFileStream } from '@fastify/busboy'
import { isQuillgateError, type QuillgateError, serverError } from '../../core/errors.ts'
import { ChunkReader } from '../chunk-reader.ts'

/** One part of a form. */
export type MultipartPart = MultipartField | MultipartFile

/** A field that is not a file. */
export interface MultipartField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file. */
export interface MultipartFile {
  readonly kind: 'file'
  readonly name: string
  /** Untrusted UTF-8 text, without directories, possibly empty. */
  readonly filename: string
  /** Untrusted too: the media type in lower case, without parameters. */
  readonly type: string
  /** The bytes, received only as fast as they are read, once. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Reads the bytes of a file. */
export async function* readFile(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
  const chunks = new ChunkReader(file)
  try {
    yield* chunks
  } catch (error) {
    throw toMultipartError(error)
  } finally {
    await chunks.return()
  }
}

/** Converts failures of the parser, the network and the client to `malformed_multipart`. */
export function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return serverError('malformed_multipart', 'The form is malformed, or it ended early.', {
    cause: error,
  })
}
