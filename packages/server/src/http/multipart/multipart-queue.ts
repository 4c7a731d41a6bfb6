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

interface Found {
  readonly part: MultipartPart
  readonly file?: BusboyFileStream
}

/**
 * Turns the events of the parser into parts that are read one by one. It holds at most the parts of
 * one chunk of the body. A failure comes after the parts before it, so that a client always gets
 * the first error.
 */
export class MultipartQueue {
  readonly #onFailure: () => void
  readonly #found: Found[] = []
  readonly #files = new Set<BusboyFileStream>()
  #current: BusboyFileStream | undefined
  #failure: QuillgateError | undefined
  #finished = false
  #wake = (): void => {}

  /** @param onFailure called once when the form fails, to stop reading the body */
  constructor(onFailure: () => void) {
    this.#onFailure = onFailure
  }

  get isFailed(): boolean {
    return this.#failure !== undefined
  }

  /** Adds a field, or a file with its stream. After a failure, it does nothing. */
  add(part: MultipartPart, file?: BusboyFileStream): void {
    if (this.#failure) return
    this.#found.push(file ? { part, file } : { part })
    this.#wake()
  }

  /** Follows a file, so that it ends when the form fails. */
  watch(file: BusboyFileStream): void {
    this.#files.add(file)
    file.on('error', this.fail)
    file.on('end', () => {
      this.#files.delete(file)
      this.#wake()
    })
  }

  /**
   * Ends the form and its files with an error. Only the first error counts, and none after
   * {@link finish}.
   */
  readonly fail = (error: unknown): void => {
    if (this.#finished || this.#failure) return
    this.#failure = toMultipartError(error)
    for (const file of this.#files) file.destroy(this.#failure)
    this.#onFailure()
    this.#wake()
  }

  /** Ends the form well. */
  finish(): void {
    this.#finished = this.#failure === undefined
    this.#wake()
  }

  /** Returns the next part, once the file before is read or skipped; null after the last. */
  async next(): Promise<MultipartPart | null> {
    for (;;) {
      const busy = this.#current !== undefined && !this.#current.readableEnded
      const found = busy ? undefined : this.#found.shift()
      if (found) {
        this.#current = found.file
        return found.part
      }
      if (this.#failure) throw this.#failure
      if (this.#finished) return null
      if (busy) this.#current?.resume()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
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
