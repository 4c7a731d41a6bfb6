import type { BusboyFileStream } from '@fastify/busboy'
import { isQuillgateError, type QuillgateError, serverError } from '../../core/errors.ts'
import { ChunkReader } from '../chunk-reader.ts'

/** One part of a form, in the order in which the client sent them. */
export type MultipartPart = MultipartField | MultipartFile

/** A field that is no file. */
export interface MultipartField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file. */
export interface MultipartFile {
  readonly kind: 'file'
  readonly name: string
  /** The file name of the client: untrusted UTF-8 text, without directories, possibly empty. */
  readonly filename: string
  /** The media type of the client in lower case, without parameters. It is untrusted too. */
  readonly type: string
  /** The bytes, read from the network as fast as they are taken from here, once. */
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

/** Failures of the parser, the network and the client are one error. */
export function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return serverError('malformed_multipart', 'The form is malformed, or it ended early.', {
    cause: error,
  })
}
