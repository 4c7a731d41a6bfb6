/** A piece of a body. Its bytes are used again when the piece after the next one is asked for. */
export interface Part {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

const FIRST_SIZE = 64 * 1024

/**
 * Cuts a body into parts of the same size; only the last one may be smaller, and is empty only when the body is. No
 * more than two parts are in memory: one may be sent while the next one fills.
 *
 * @param partSize in bytes
 */
export async function* toParts(
  body: AsyncIterable<Uint8Array>,
  partSize: number,
): AsyncGenerator<Part> {
  let filling = new PartBuffer(partSize)
  let other: PartBuffer | null = null
  for await (const chunk of body) {
    let rest = filling.append(chunk)
    // A part is full only when more follows: what is left at the end is then never empty.
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

/** Bytes that are copied in, for a part is one piece of memory. Grows, so that a small body takes little. */
class PartBuffer {
  readonly #limit: number
  #memory: Buffer
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#memory = Buffer.allocUnsafeSlow(Math.min(FIRST_SIZE, limit))
  }

  /** Takes as much as there is room for, and gives back the rest. */
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
