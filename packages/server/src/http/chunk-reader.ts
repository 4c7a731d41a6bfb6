import type { Readable } from 'node:stream'

/** As many bytes may wait to be read before the stream is held back. */
const MAX_WAITING = 128 * 1024

/**
 * Reads a Node stream chunk by chunk, as they were pushed. The stream's own iterator joins buffered
 * chunks, which copies most bytes of a large body. The stream is paused before the first read,
 * between reads, and after `return`, which leaves it open.
 */
export class ChunkReader implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #stream: Readable
  readonly #chunks: Uint8Array[] = []
  #waiting = 0
  #isStarted = false
  #isOver = false
  #failure: unknown
  #wake = (): void => {}

  constructor(stream: Readable) {
    this.#stream = stream
  }

  /** The next chunk. One call at a time. @throws what ended the stream early */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isStarted) this.#start()
    for (;;) {
      const value = this.#chunks.shift()
      if (value) {
        this.#waiting -= value.byteLength
        return { done: false, value }
      }
      if (this.#failure !== undefined) throw this.#failure
      if (this.#isOver) return { done: true, value: undefined }
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#stream.resume()
      await woken
    }
  }

  /** Stops reading. A pending read ends without a chunk. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isStarted = true
    this.#chunks.length = 0
    this.#end()
    this.#stream.pause()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #start(): void {
    this.#isStarted = true
    if (this.#stream.readableEnded) this.#end()
    else if (this.#stream.destroyed) this.#onClose()
    else
      this.#stream
        .on('data', this.#onData)
        .on('end', this.#end)
        .on('error', this.#onError)
        .on('close', this.#onClose)
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk)
    this.#waiting += chunk.byteLength
    if (this.#waiting >= MAX_WAITING) this.#stream.pause()
    this.#wake()
  }

  readonly #onError = (error: unknown): void => {
    this.#failure ??= error
    this.#end()
  }

  readonly #onClose = (): void => {
    if (!this.#isOver)
      this.#onError(this.#stream.errored ?? new Error('The stream was closed before its end.'))
  }

  readonly #end = (): void => {
    this.#isOver = true
    // `error` stays heard: without a listener, one that comes later would end the process.
    this.#stream.off('data', this.#onData).off('end', this.#end).off('close', this.#onClose)
    this.#wake()
  }
}
