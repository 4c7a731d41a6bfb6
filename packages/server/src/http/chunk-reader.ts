import { on } from 'node:events'
import type { Readable } from 'node:stream'

/** The number of unread chunks at which the stream is paused. */
const MAX_WAITING = 4

/**
 * Reads a Node stream chunk by chunk, as they were pushed, and leaves it open. The stream's own
 * iterator joins buffered chunks and closes the stream. Nothing is read before the first call.
 * `return` ends a pending read too.
 */
export class ChunkReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stream: Readable
  #events: AsyncIterator<[Uint8Array]> | undefined
  #isOver = false

  constructor(stream: Readable) {
    this.#stream = stream
  }

  /** The next chunk. One call at a time. @throws what ended the stream early */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const stream = this.#stream
    if (!this.#events && !stream.destroyed && !stream.readableEnded) {
      stream.on('error', () => {}) // Without a listener, a later one would end the process.
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

  /** Stops reading. A pending read ends without a chunk. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#isOver) return { done: true, value: undefined }
    this.#isOver = true
    void this.#events?.return?.()
    this.#stream.pause() // Now, because the caller may resume it to discard the rest.
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
