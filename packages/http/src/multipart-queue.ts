import type { BusboyFileStream } from '@fastify/busboy'
import { isQuillgateError, QuillgateError } from './errors.ts'
import type { MultipartPart } from './multipart-part.ts'

interface Found {
  readonly part: MultipartPart
  readonly file?: BusboyFileStream
}

/**
 * Turns the events of the parser into parts that are asked for one by one. It holds back no more parts than one chunk of
 * the body has; a failure comes after the parts before it, so that a client always hears of the first thing wrong.
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

  /** Adds a field, or a file with its stream. The parser may still find some after a failure: they do not count. */
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

  /** Ends the form and its files with an error; the first one counts, and none after {@link finish}. */
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
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Every failure of the parser, the network or the client is the same to who reads the form. */
export function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return new QuillgateError('malformed_multipart', 400, 'The form is malformed, or it ended early.', { cause: error })
}
