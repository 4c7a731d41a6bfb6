/** The beginning of a body, and the body as if nobody had looked. */
export interface Peeked {
  /** At most as many bytes as were asked for. */
  readonly head: Uint8Array
  /** True when `head` is all that there is. */
  readonly whole: boolean
  /** All bytes, the head included; to be read once. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Looks at the first bytes of a stream without losing them.
 *
 * @param length number of bytes
 */
export async function peek(body: AsyncIterable<Uint8Array>, length: number): Promise<Peeked> {
  const iterator = body[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  let done = false
  while (size <= length && !done) {
    const next = await iterator.next()
    done = next.done ?? false
    if (!next.done) {
      chunks.push(next.value)
      size += next.value.byteLength
    }
  }
  const head = Buffer.concat(chunks).subarray(0, length)
  return { head, whole: done && size <= length, body: resume(chunks, iterator) }
}

async function* resume(chunks: Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
  yield* { [Symbol.asyncIterator]: () => iterator }
}
