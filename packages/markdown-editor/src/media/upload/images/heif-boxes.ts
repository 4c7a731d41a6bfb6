import { DamagedImageError } from './image-meter.ts'

/**
 * A box of an ISO base media file (ISO/IEC 14496-12, 4.2), with its place in the bytes that it was
 * read from.
 */
export interface Box {
  readonly type: string
  /** Where its content begins and ends. */
  readonly start: number
  readonly end: number
}

/**
 * Reads the boxes that lie one after another in a range of bytes. @throws QuillgateError 415 when
 * they do not fit
 */
export function readBoxes(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = start; at < end; ) {
    if (end - at < 8) throw unfit()
    const length = bytes.readUInt32BE(at)
    const box = {
      type: bytes.toString('latin1', at + 4, at + 8),
      start: at + 8,
      end: length === 0 ? end : at + length,
    }
    // Boxes over 4 GiB (length 1) have no place within a header.
    if ((length !== 0 && length < 8) || box.end > end) throw unfit()
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** Reads numbers one after another within a box; all of big-endian order. */
export class BoxReader {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  readonly version: number
  readonly flags: number

  /** Begins behind the version and flags, which "full" boxes have. */
  constructor(bytes: Buffer, box: Box) {
    this.#bytes = bytes
    this.#at = box.start
    this.#end = box.end
    this.version = this.uint(1)
    this.flags = this.uint(3)
  }

  /** Where the next number begins. */
  get position(): number {
    return this.#at
  }

  /** An unsigned number of 0 to 8 bytes. */
  uint(length: number): number {
    const at = this.#at
    if (at + length > this.#end) throw unfit()
    this.#at += length
    if (length === 0) return 0
    if (length <= 6) return this.#bytes.readUIntBE(at, length)
    return Number(this.#bytes.readBigUInt64BE(at))
  }

  /** Four characters. */
  type(): string {
    if (this.#at + 4 > this.#end) throw unfit()
    this.#at += 4
    return this.#bytes.toString('latin1', this.#at - 4, this.#at)
  }
}

function unfit(): Error {
  return new DamagedImageError('its parts do not fit together')
}
