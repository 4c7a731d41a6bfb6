import type { BusboyFileStream } from '@fastify/busboy'
import { isQuillgateError, type QuillgateError, serverError } from '../../core/errors.ts'
import { ChunkReader } from '../chunk-reader.ts'
import type { MultipartPart } from './multipart-part.ts'
import { type ParserFeed, ParserWatch } from './multipart-watch.ts'

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
  /** How far the parser is; kept by who feeds it. */
  readonly feed: ParserFeed = { pieces: 0, awaitsClient: true }
  readonly #watch = new ParserWatch(this.feed, () =>
    this.fail(new Error('The parser of the form does nothing any more.')),
  )
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

  /** True when nothing of the form is of use any more. */
  get isFailed(): boolean {
    return this.#failure !== undefined
  }

  /**
   * Adds a field, or a file with its stream. The parser may still find some after a failure: they
   * do not count.
   */
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
   * Ends the form and its files with an error; the first one counts, and none after {@link finish}.
   */
  readonly fail = (error: unknown): void => {
    if (this.#finished || this.#failure) return
    this.#failure = toMultipartError(error)
    for (const file of this.#files) file.destroy(this.#failure)
    this.#onFailure()
    this.#wake()
  }

  /** Drops the rest of the form, because no more parts are read. */
  close(): void {
    if (!this.#finished && !this.#failure) this.fail(new Error('The form was not read to its end.'))
    this.#watch.stop()
  }

  /** Ends the form well. */
  finish(): void {
    this.#finished = this.#failure === undefined
    this.#wake()
  }

  /** The next part, once the file before is read or skipped; null after the last. */
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
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await this.#watch.until(woken)
    }
  }

  /** The bytes of a file. */
  async *read(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
    const chunks = new ChunkReader(file)
    try {
      for (;;) {
        const chunk = await this.#watch.until(chunks.next())
        if (chunk.done) return
        yield chunk.value
      }
    } catch (error) {
      throw toMultipartError(error)
    } finally {
      await chunks.return()
    }
  }
}

/** Every failure of the parser, the network or the client is the same to who reads the form. */
export function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return serverError('malformed_multipart', 'The form is malformed, or it ended early.', {
    cause: error,
  })
}
