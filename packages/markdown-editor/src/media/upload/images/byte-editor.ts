/**
 * Reads the part of a file that lies ahead, says what happens to its bytes, and returns the step
 * that follows, or null at the end. If bytes are missing, it runs again when more have come. So it
 * looks at bytes first, and only its last edit may reach beyond the bytes that have come.
 */
export type Step = (io: ByteEditor) => Step | null

/** Thrown while a step needs more bytes. */
const MORE = new Error('More bytes are needed')

const NOTHING = Buffer.alloc(0)

/**
 * A file that streams through steps, which keep, drop or replace its bytes. Memory is bounded by
 * the longest {@link peek}; time is linear in the file, also when it comes byte by byte.
 */
export class ByteEditor {
  #step: Step | null
  #bytes: Buffer = NOTHING
  #at = 0
  #passed = 0
  // The bytes from here to #at are kept, and are not yet among #edited.
  #keptFrom = 0
  #edited: Uint8Array[] = []
  #coming: Buffer[] = []
  #missing = 0
  // The last edit, and how many bytes of it are still to come.
  #action: 'keep' | 'drop' | 'blank' = 'keep'
  #left = 0

  constructor(first: Step) {
    this.#step = first
  }

  /** How many bytes of the file have been passed. */
  get position(): number {
    return this.#passed + this.#at
  }

  /** Returns the next bytes without passing them. Do not change them. */
  peek(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.byteLength) {
      this.#missing = end - this.#bytes.byteLength
      throw MORE
    }
    return this.#bytes.subarray(this.#at, end)
  }

  /** Returns all bytes that have come, at least one, without passing them. */
  peekAll(): Buffer {
    return this.peek(Math.max(1, this.#bytes.byteLength - this.#at))
  }

  keep(length: number): void {
    this.#edit('keep', length)
  }

  drop(length: number): void {
    this.#edit('drop', length)
  }

  /** Replaces bytes by zeros. */
  blank(length: number): void {
    this.#edit('blank', length)
  }

  /** Adds bytes that were not in the file. */
  write(bytes: Uint8Array): void {
    this.#settle()
    this.#edited.push(bytes)
  }

  /** Continues with more bytes. Returns true at the end. */
  feed(chunk: Uint8Array): boolean {
    this.#coming.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    this.#missing -= chunk.byteLength
    if (this.#missing > 0) return false
    this.#join()
    while (this.#continueEdit()) {
      if (!this.#step) return true
      try {
        this.#step = this.#step(this)
      } catch (error) {
        if (error !== MORE) throw error
        return false
      }
    }
    return false
  }

  /** Takes what is ready, in one piece: many small parts must not become as many writes. */
  takeEdited(): Uint8Array {
    this.#settle()
    const [first = NOTHING] = this.#edited
    const edited = this.#edited.length > 1 ? Buffer.concat(this.#edited) : first
    this.#edited = []
    return edited
  }

  #edit(action: 'keep' | 'drop' | 'blank', length: number): void {
    this.#action = action
    this.#left = length
    this.#continueEdit()
  }

  /** Applies the last edit to the bytes that have come. Returns true if it is complete. */
  #continueEdit(): boolean {
    const length = Math.min(this.#left, this.#bytes.byteLength - this.#at)
    if (length > 0) {
      if (this.#action !== 'keep') this.#settle()
      if (this.#action === 'blank') this.#edited.push(Buffer.alloc(length))
      this.#at += length
      if (this.#action !== 'keep') this.#keptFrom = this.#at
      this.#left -= length
    }
    return this.#left <= 0
  }

  #settle(): void {
    if (this.#keptFrom < this.#at) this.#edited.push(this.#bytes.subarray(this.#keptFrom, this.#at))
    this.#keptFrom = this.#at
  }

  #join(): void {
    this.#settle()
    const rest = this.#bytes.subarray(this.#at)
    this.#passed += this.#at
    this.#bytes = Buffer.concat(rest.byteLength > 0 ? [rest, ...this.#coming] : this.#coming)
    this.#coming = []
    this.#missing = 0
    this.#at = 0
    this.#keptFrom = 0
  }
}
