/** A part of a body. Its memory is reused for the part after the next part. */
export interface Part {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

const FIRST_SIZE = 64 * 1024

/**
 * Splits a body into parts of `partSize` bytes. The last part may be smaller. If the body is empty,
 * the only part is empty. Two parts are in memory: one is sent while the other is filled.
 */
export async function* toParts(
  body: AsyncIterable<Uint8Array>,
  partSize: number,
): AsyncGenerator<Part> {
  let filling: Uint8Array = Buffer.alloc(0)
  let other: Uint8Array = Buffer.alloc(0)
  let length = 0
  for await (const chunk of body) {
    let rest = chunk
    while (rest.byteLength > 0) {
      // Waits for more bytes before it yields a full part. Otherwise, the last part could be empty.
      if (length === partSize) {
        yield { bytes: filling, isLast: false }
        const sent = filling
        filling = other
        other = sent
        length = 0
      }
      const taken = rest.subarray(0, partSize - length)
      filling = reserve(filling, length + taken.byteLength, partSize)
      filling.set(taken, length)
      length += taken.byteLength
      rest = rest.subarray(taken.byteLength)
    }
  }
  yield { bytes: filling.subarray(0, length), isLast: true }
}

// Grows the memory as needed, so that a small body needs little memory.
function reserve(memory: Uint8Array, size: number, limit: number): Uint8Array {
  if (size <= memory.byteLength) return memory
  return Buffer.concat([memory], Math.min(limit, Math.max(size, 2 * memory.byteLength, FIRST_SIZE)))
}
