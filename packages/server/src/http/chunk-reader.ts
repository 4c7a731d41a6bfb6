import type { Readable } from 'node:stream'
import { AsyncQueue } from './async-queue.ts'

const MAX_WAITING = 4

/**
 * Reads the chunks of a Node.js stream. It differs from the stream's own iterator: it does not join
 * buffered chunks, it does not close the stream, and `return` ends a pending read.
 */
export class ChunkReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stream: Readable
  readonly #chunks = new AsyncQueue<Uint8Array>()
  #isStarted = false

  constructor(stream: Readable) {
    this.#stream = stream
  }

  /**
   * Returns the next chunk. Call `next` again only after the returned promise has settled.
   *
   * @throws the error that ended the stream early
   */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isStarted) this.#start()
    if (this.#chunks.length === 0 && !this.#chunks.isEnded) this.#stream.resume()
    return this.#chunks.next()
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isStarted = true
    this.#stream.off('data', this.#onData)
    this.#stream.pause() // The caller may resume the stream later, to discard the rest.
    return this.#chunks.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #start(): void {
    this.#isStarted = true
    const stream = this.#stream
    const onClose = (): void => {
      if (stream.readableEnded) this.#chunks.end()
      else this.#chunks.fail(stream.errored ?? new Error('The stream was closed before its end.'))
    }
    if (stream.readableEnded || stream.destroyed) {
      onClose()
      return
    }
    // `return` keeps the `error` listener. Without a listener, an error would end the process.
    stream.on('data', this.#onData).on('error', this.#chunks.fail)
    stream.on('end', this.#chunks.end).on('close', onClose)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk)
    if (this.#chunks.length >= MAX_WAITING) this.#stream.pause()
  }
}
