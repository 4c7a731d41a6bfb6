/** A part of a body. Its memory is reused for the part after the next one. */
export interface Part {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

const FIRST_SIZE = 64 * 1024

/**
 * Splits a body into parts of the same size. Only the last part may be smaller, and it is empty
 * only if the body is. At most two parts are in memory, so that one can be sent while the next one
 * is filled.
 *
 * @param partSize - in bytes
 */
export async function* toParts(
  body: AsyncIterable<Uint8Array>,
  partSize: number,
): AsyncGenerator<Part> {
  let filling = new PartBuffer(partSize)
  let other: PartBuffer | null = null
  for await (const chunk of body) {
    let rest = filling.append(chunk)
    // A full part is kept until more bytes follow, so that the last part is never empty.
    while (rest.byteLength > 0) {
      yield { bytes: filling.bytes(), isLast: false }
      const next: PartBuffer = other ?? new PartBuffer(partSize)
      other = filling
      filling = next
      filling.clear()
      rest = filling.append(rest)
    }
  }
  yield { bytes: filling.bytes(), isLast: true }
}

/** The memory of one part. It grows as needed, so that a small body needs little memory. */
class PartBuffer {
  readonly #limit: number
  #memory: Buffer
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#memory = Buffer.allocUnsafeSlow(Math.min(FIRST_SIZE, limit))
  }

  /** Copies bytes up to the limit, and returns the rest. */
  append(chunk: Uint8Array): Uint8Array {
    const taken = Math.min(chunk.byteLength, this.#limit - this.#length)
    this.#reserve(this.#length + taken)
    this.#memory.set(chunk.subarray(0, taken), this.#length)
    this.#length += taken
    return chunk.subarray(taken)
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  #reserve(size: number): void {
    if (size <= this.#memory.byteLength) return
    const larger = Buffer.allocUnsafeSlow(
      Math.min(this.#limit, Math.max(size, 2 * this.#memory.byteLength)),
    )
    this.#memory.copy(larger, 0, 0, this.#length)
    this.#memory = larger
  }
}
