/** The first bytes of a body, and a stream of all its bytes. */
export interface Peeked {
  readonly head: Uint8Array
  /** True if `head` contains the whole body. */
  readonly whole: boolean
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Reads the first bytes of a stream. The returned `body` still has all bytes. Read it only once.
 */
export async function peek(body: AsyncIterable<Uint8Array>, length: number): Promise<Peeked> {
  const iterator = body[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  let done = false
  while (size <= length && !done) {
    const next = await iterator.next()
    done = next.done ?? false
    if (next.done) break
    chunks.push(next.value)
    size += next.value.byteLength
  }
  const head = Buffer.concat(chunks).subarray(0, length)
  return { head, whole: done && size <= length, body: resume(chunks, iterator) }
}

/** This is not a generator, because a generator would create three more promises for each chunk. */
function resume(
  seen: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  return {
    async next() {
      const value = seen.shift()
      return value ? { done: false, value } : rest.next()
    },
    async return(value?: unknown) {
      seen.length = 0
      return (await rest.return?.(value)) ?? { done: true, value }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
