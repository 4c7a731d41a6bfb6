/**
 * A generator that reads the bytes of a file, in pieces of any length. It yields when it needs more
 * bytes, and gets back whether there were any.
 */
export type Walk<Result = void> = Generator<void, Result, boolean>

/** A step of a walk, to be taken with `yield*` at once. */
export type Step<Result = void> = Iterable<void, Result, boolean>

/** The file ended while a walk still needed bytes. */
export class EndOfFile extends Error {
  override name = 'EndOfFile'
}

/** As many filling bytes as are made at once. */
const FILLING = 16_384

const NOTHING = Buffer.alloc(0)

/**
 * A file as it streams through a {@link Walk}, which decides byte for byte what is kept, dropped or
 * replaced. Memory is bounded by the longest {@link peek}; time is linear in the file, also when it
 * comes byte by byte.
 */
export class ByteEditor {
  #bytes: Buffer = NOTHING
  #at = 0
  #passed = 0
  // The bytes from here to #at are kept, and are not yet among #edited.
  #keptFrom = 0
  #edited: Uint8Array[] = []
  #fed: Buffer = NOTHING
  #isAtEnd = false

  /** How many bytes of the file the walk has passed. */
  get position(): number {
    return this.#passed + this.#at
  }

  /** Shows the next bytes without passing them. They are the file's own: not to be changed. */
  peek(length: number): Step<Buffer> {
    const end = this.#at + length
    return end > this.#bytes.byteLength
      ? this.#gather(length)
      : new Ready(this.#bytes.subarray(this.#at, end))
  }

  /** Tells whether there are more bytes. */
  *hasMore(): Walk<boolean> {
    while (this.#at === this.#bytes.byteLength) {
      if (!(yield* this.#isFed())) return false
      this.#settle()
      this.#begin(this.#fed)
    }
    return true
  }

  /** Passes bytes on as they are. */
  keep(length: number): Step {
    const left = this.#pass(length)
    return left > 0 ? this.#keepMore(left) : DONE
  }

  /** Passes all bytes on that come. */
  *keepRest(): Walk {
    while (yield* this.hasMore()) this.#at = this.#bytes.byteLength
  }

  /** Leaves bytes out. */
  drop(length: number): Step {
    this.#settle()
    const left = this.#pass(length)
    this.#keptFrom = this.#at
    return left > 0 ? this.#dropMore(left) : DONE
  }

  /**
   * Keeps bytes that have come already: a quick way over many small parts. The walk must look at
   * what comes next.
   *
   * @param find tells where to stop, from the bytes and the place to begin at
   */
  keepTo(find: (bytes: Buffer, from: number) => number): void {
    this.#at = find(this.#bytes, this.#at)
  }

  /** Leaves out bytes that have come already, as {@link keepTo} keeps them. */
  dropTo(find: (bytes: Buffer, from: number) => number): void {
    this.#settle()
    this.#at = find(this.#bytes, this.#at)
    this.#keptFrom = this.#at
  }

  /** Puts a filling in the place of bytes. */
  *overwrite(length: number, filling = 0): Walk {
    for (let left = length; left > 0; ) {
      yield* this.peek(1)
      const part = Math.min(left, FILLING, this.#bytes.byteLength - this.#at)
      yield* this.drop(part)
      this.write(Buffer.alloc(part, filling))
      left -= part
    }
  }

  /** Adds bytes that were not in the file. */
  write(bytes: Uint8Array): void {
    this.#settle()
    this.#edited.push(bytes)
  }

  /** Brings the next bytes of the file. For who runs the walk. */
  feed(bytes: Uint8Array): void {
    this.#fed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /**
   * Gives away what is ready, in one piece: a file of many small parts must not become as many
   * writes.
   */
  takeEdited(): Uint8Array {
    this.#settle()
    const [first = NOTHING] = this.#edited
    const edited = this.#edited.length > 1 ? Buffer.concat(this.#edited) : first
    this.#edited = []
    return edited
  }

  /** Goes forward within the bytes that are here. @returns how many are still to come */
  #pass(length: number): number {
    const here = Math.min(length, this.#bytes.byteLength - this.#at)
    this.#at += here
    return length - here
  }

  #settle(): void {
    if (this.#keptFrom < this.#at) this.#edited.push(this.#bytes.subarray(this.#keptFrom, this.#at))
    this.#keptFrom = this.#at
  }

  *#keepMore(length: number): Walk {
    for (let left = length; left > 0; left = this.#pass(left)) {
      const fed = yield* this.#wait()
      this.#settle()
      this.#begin(fed)
    }
  }

  *#dropMore(length: number): Walk {
    for (let left = length; left > 0; left = this.#pass(left), this.#keptFrom = this.#at) {
      this.#begin(yield* this.#wait())
    }
  }

  /**
   * Waits until so many bytes lie ahead, and joins them. Each is copied once at most, however small
   * the pieces are.
   */
  *#gather(length: number): Walk<Buffer> {
    this.#settle()
    const parts = this.#at < this.#bytes.byteLength ? [this.#bytes.subarray(this.#at)] : []
    let size = this.#bytes.byteLength - this.#at
    while (size < length) {
      const fed = yield* this.#wait()
      parts.push(fed)
      size += fed.byteLength
    }
    this.#begin(parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts))
    return this.#bytes.subarray(0, length)
  }

  *#wait(): Walk<Buffer> {
    if (!(yield* this.#isFed())) throw new EndOfFile()
    return this.#fed
  }

  *#isFed(): Walk<boolean> {
    if (!this.#isAtEnd) this.#isAtEnd = !(yield)
    return !this.#isAtEnd
  }

  #begin(bytes: Buffer): void {
    this.#passed += this.#at
    this.#bytes = bytes
    this.#at = 0
    this.#keptFrom = 0
  }
}

/**
 * A step that needs no waiting: much quicker than a generator, which hostile files would make by
 * the million.
 */
class Ready<Result> implements Step<Result> {
  readonly done = true
  readonly value: Result

  constructor(value: Result) {
    this.value = value
  }

  next(): this {
    return this
  }

  [Symbol.iterator](): this {
    return this
  }
}

const DONE = new Ready<void>(undefined)
