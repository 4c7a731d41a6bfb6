/** A generator that keeps, drops or replaces the bytes of a file. Each `yield` waits for bytes. */
export type Reading<Result = void> = Generator<void, Result, void>

const NOTHING = Buffer.alloc(0)

/**
 * Streams a file through a {@link Reading}. The memory use depends on the longest `peek`. The time
 * is linear in the file size, even if the file arrives byte by byte.
 */
export class ByteEditor {
  #bytes: Buffer = NOTHING
  #at = 0
  #passed = 0
  // The bytes from this position to #at are kept, but are not in #edited yet.
  #keptFrom = 0
  #edited: Uint8Array[] = []
  #coming: Buffer[] = []
  /** The number of further bytes that the reading waits for. */
  #missing = 1

  /** The number of bytes that were kept or dropped. */
  get position(): number {
    return this.#passed + this.#at
  }

  /** Returns the next bytes without consuming them. Callers must not change them. */
  *peek(length: number): Reading<Buffer> {
    while (this.#length < length) yield this.#wait(length)
    return this.#bytes.subarray(this.#at, this.#at + length)
  }

  /** Returns all received bytes without consuming them. Waits for at least one byte. */
  *peekAll(): Reading<Buffer> {
    if (this.#length === 0) yield this.#wait(1)
    return this.#bytes.subarray(this.#at)
  }

  *keep(length: number): Reading {
    for (let left = length; left > 0; ) {
      if (this.#length === 0) yield this.#wait(1)
      const kept = Math.min(left, this.#length)
      this.#at += kept
      left -= kept
    }
  }

  /** Drops the next bytes. If `isBlank` is true, replaces them with zeros. */
  *drop(length: number, isBlank = false): Reading {
    for (let left = length; left > 0; ) {
      if (this.#length === 0) yield this.#wait(1)
      this.#settle()
      const dropped = Math.min(left, this.#length)
      if (isBlank) this.#edited.push(Buffer.alloc(dropped))
      this.#at += dropped
      this.#keptFrom = this.#at
      left -= dropped
    }
  }

  write(bytes: Uint8Array): void {
    this.#settle()
    this.#edited.push(bytes)
  }

  /** Receives the next bytes of the file. Returns true if the reading can continue. */
  feed(chunk: Uint8Array): boolean {
    this.#coming.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    this.#missing -= chunk.byteLength
    if (this.#missing > 0) return false
    this.#settle()
    const rest = this.#bytes.subarray(this.#at)
    this.#passed += this.#at
    this.#bytes = Buffer.concat(rest.byteLength > 0 ? [rest, ...this.#coming] : this.#coming)
    this.#coming = []
    this.#at = 0
    this.#keptFrom = 0
    return true
  }

  /** Returns all edited bytes in one array, so that many small edits do not cause many writes. */
  takeEdited(): Uint8Array {
    this.#settle()
    const [first = NOTHING] = this.#edited
    const edited = this.#edited.length > 1 ? Buffer.concat(this.#edited) : first
    this.#edited = []
    return edited
  }

  /** The number of received bytes that are not consumed yet. */
  get #length(): number {
    return this.#bytes.byteLength - this.#at
  }

  #wait(length: number): void {
    this.#missing = length - this.#length
  }

  #settle(): void {
    if (this.#keptFrom < this.#at) this.#edited.push(this.#bytes.subarray(this.#keptFrom, this.#at))
    this.#keptFrom = this.#at
  }
}
