import { on } from 'node:events'
import type { Readable } from 'node:stream'

const MAX_WAITING = 4

/**
 * Reads the chunks of a Node.js stream. Unlike the stream's own iterator, it does not join buffered
 * chunks or close the stream, and `return` ends a pending read.
 */
export class ChunkReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stream: Readable
  #events: AsyncIterator<[Uint8Array]> | undefined
  #isOver = false

  constructor(stream: Readable) {
    this.#stream = stream
  }

  /** Calls must not overlap. @throws the error that ended the stream early */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const stream = this.#stream
    if (!this.#events && !stream.destroyed && !stream.readableEnded) {
      stream.on('error', () => {}) // Without a listener, a later error would end the process.
      const options = { close: ['end', 'close'], highWaterMark: MAX_WAITING }
      this.#events = on(stream, 'data', options) as AsyncIterator<[Uint8Array]>
      stream.resume()
    }
    const event = this.#isOver ? undefined : await this.#events?.next()
    if (event?.done === false) return { done: false, value: event.value[0] }
    if (!this.#isOver && !stream.readableEnded)
      throw stream.errored ?? new Error('The stream was closed before its end.')
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#isOver) return { done: true, value: undefined }
    this.#isOver = true
    void this.#events?.return?.()
    this.#stream.pause() // Before the caller can resume it to discard the rest.
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
