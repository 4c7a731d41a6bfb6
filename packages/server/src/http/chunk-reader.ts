import type { Readable } from 'node:stream'
import { AsyncQueue } from './async-queue.ts'

const MAX_WAITING = 4

/**
 * Reads the chunks of a Node.js stream. It differs from the stream's own iterator: it does not join
 * buffered chunks, it does not close the stream, and `return` ends a pending read.
 */
export class ChunkReader extends AsyncQueue<Uint8Array> {
  readonly #stream: Readable
  #isStarted = false

  constructor(stream: Readable) {
    super()
    this.#stream = stream
  }

  /**
   * Returns the next chunk. Call `next` again only after the returned promise has settled.
   *
   * @throws the error that ended the stream early
   */
  override next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isStarted) this.#start()
    if (this.length === 0 && !this.isEnded) this.#stream.resume()
    return super.next()
  }

  override async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isStarted = true
    this.#stream.off('data', this.#onData)
    this.#stream.pause() // The caller may resume the stream later, to discard the rest.
    return super.return()
  }

  #start(): void {
    this.#isStarted = true
    const stream = this.#stream
    const onClose = (): void => {
      if (stream.readableEnded) this.end()
      else this.fail(stream.errored ?? new Error('The stream was closed before its end.'))
    }
    if (stream.readableEnded || stream.destroyed) {
      onClose()
      return
    }
    // `return` keeps the `error` listener. Without a listener, an error would end the process.
    stream.on('data', this.#onData).on('error', this.fail)
    stream.on('end', this.end).on('close', onClose)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.push(chunk)
    if (this.length >= MAX_WAITING) this.#stream.pause()
  }
}
