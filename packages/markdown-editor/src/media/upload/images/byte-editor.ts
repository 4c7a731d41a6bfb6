/**
 * Straight code that goes over the bytes of a file, whatever pieces they come in. It gives control away (`yield`) when it
 * needs more of them, and is told whether there were any.
 */
export type Walk<Result = void> = Generator<void, Result, boolean>

/** The file ended while a walk still needed bytes. */
export class EndOfFile extends Error {
  override name = 'EndOfFile'
}

/** As many filling bytes as are made at once. */
const FILLING = 16_384

const NOTHING = new Uint8Array()

/**
 * A file as it streams through a {@link Walk}, which decides byte for byte what is kept, dropped or replaced. Memory is
 * bounded by the longest {@link peek}; time is linear in the file, also when it comes byte by byte.
 */
export class ByteEditor {
  #bytes: Uint8Array = NOTHING
  #at = 0
  #passed = 0
  // The bytes from here to #at are kept, and are not yet among #edited.
  #keptFrom = 0
  #edited: Uint8Array[] = []
  #fed: Uint8Array = NOTHING

  /** How many bytes of the file the walk has passed. */
  get position(): number {
    return this.#passed + this.#at
  }

  /** Shows the next bytes without passing them. They are valid until the walk goes on. */
  *peek(length: number): Walk<Uint8Array> {
    if (this.#bytes.byteLength - this.#at < length) yield* this.#gather(length)
    return this.#bytes.subarray(this.#at, this.#at + length)
  }

  /** Passes bytes on as they are; `Infinity`: all that come. */
  *keep(length: number): Walk {
    for (let left = this.#pass(length); left > 0; left = this.#pass(left)) yield* this.#next()
  }

  /** Passes bytes on until the next one has this value. */
  *keepUntil(value: number): Walk {
    for (;;) {
      const found = this.#bytes.indexOf(value, this.#at)
      this.#at = found < 0 ? this.#bytes.byteLength : found
      if (found >= 0) return
      yield* this.#next()
    }
  }

  /** Leaves bytes out. */
  *drop(length: number): Walk {
    this.#settle()
    for (let left = this.#pass(length); ; left = this.#pass(left)) {
      this.#keptFrom = this.#at
      if (left === 0) return
      yield* this.#next()
    }
  }

  /** Puts a filling in the place of bytes. */
  *overwrite(length: number, filling = 0): Walk {
    for (let left = length; left > 0; ) {
      const part = Math.min(left, FILLING)
      yield* this.drop(part)
      this.write(new Uint8Array(part).fill(filling))
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
    this.#fed = bytes
  }

  /** Gives away what is ready, in one piece: a file of many small parts must not become as many writes. */
  takeEdited(): Uint8Array {
    this.#settle()
    const edited = this.#edited
    this.#edited = []
    return edited.length === 1 ? (edited[0] ?? NOTHING) : Buffer.concat(edited)
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

  /** Waits for bytes; all that were here are passed. */
  *#next(): Walk {
    const fed = yield* this.#wait()
    this.#settle()
    this.#begin(fed)
  }

  /** Joins bytes until so many lie ahead. Each is copied once, however small the pieces are. */
  *#gather(length: number): Walk {
    this.#settle()
    const parts = [this.#bytes.subarray(this.#at)]
    let size = this.#bytes.byteLength - this.#at
    while (size < length) {
      const fed = yield* this.#wait()
      parts.push(fed)
      size += fed.byteLength
    }
    this.#begin(Buffer.concat(parts))
  }

  *#wait(): Walk<Uint8Array> {
    if (!(yield)) throw new EndOfFile()
    return this.#fed
  }

  #begin(bytes: Uint8Array): void {
    this.#passed += this.#at
    this.#bytes = bytes
    this.#at = 0
    this.#keptFrom = 0
  }
}
