import { QuillgateError } from '@quillgate/server/core'
import { ValidationError } from '../../../errors.ts'

/** Size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The maximum width and height in pixels, which is the limit of JPEG. */
const MAX_SIDE = 65_535

/**
 * The frames of an animation, or the scans of a JPEG, together have at most this many times the
 * maximum pixels of a still image. Decoders keep only one frame in memory.
 */
const ANIMATION_FACTOR = 20

/** The maximum number of scans in a JPEG. Encoders write at most about fifteen. */
const MAX_SCANS = 100

/** Records the size of an image, and rejects decompression bombs (422 `validation_error`). */
export class ImageMeter {
  readonly #maxPixels: number
  #scans = 0
  frames = 0
  /** Width and height as stored. Null before {@link measure}. */
  size: ImageSize | null = null
  /** True if browsers can show the bytes so far. If the rest is damaged, these bytes are kept. */
  isShowable = false
  /** Bytes to append if the rest of the image is damaged. */
  ending: Uint8Array | null = null
  orientation = 1

  constructor(maxPixels: number) {
    this.#maxPixels = maxPixels
  }

  /** Width and height as displayed. Null before {@link measure}. */
  get shownSize(): ImageSize | null {
    if (!this.size || this.orientation < 5) return this.size
    return { width: this.size.height, height: this.size.width }
  }

  /** Records the size from the header. */
  measure(width: number, height: number): void {
    if (this.size) throw new DamagedImageError('it contains its size twice')
    if (width === 0 || height === 0) throw new DamagedImageError('it has no size')
    this.check(width, height)
    this.size = { width, height }
  }

  /** Enlarges the image for its first frame, as browsers do. */
  grow(right: number, bottom: number): void {
    const { width, height } = this.size ?? { width: 0, height: 0 }
    const grown = { width: Math.max(width, right), height: Math.max(height, bottom) }
    this.check(grown.width, grown.height)
    this.size = grown
  }

  /** Throws if the size of the image or of a frame is too large. */
  check(width: number, height: number): void {
    if (width > MAX_SIDE || height > MAX_SIDE)
      throw tooLarge(`${width} × ${height} pixels`, `${MAX_SIDE} per side`)
    if (width * height > this.#maxPixels)
      throw tooLarge(`${width} × ${height} pixels`, `${this.#maxPixels} in total`)
  }

  addFrame(): void {
    this.frames += 1
    this.#checkRepeated(this.frames, 'frames')
  }

  /** Counts the scans, because a decoder processes all pixels for each scan. */
  addScan(): void {
    this.#scans += 1
    if (this.#scans > MAX_SCANS) throw tooLarge(`more than ${MAX_SCANS} scans`, `${MAX_SCANS}`)
    this.#checkRepeated(this.#scans, 'scans')
  }

  #checkRepeated(count: number, parts: string): void {
    const { width, height } = this.size ?? { width: 0, height: 0 }
    const most = this.#maxPixels * ANIMATION_FACTOR
    if (count > 1 && count * width * height > most)
      throw tooLarge(`more than ${most} pixels in its ${parts}`, `${most}`)
  }
}

/** Thrown if the bytes of an image do not follow its format. */
export class DamagedImageError extends QuillgateError {
  override name = 'DamagedImageError'

  constructor(reason: string) {
    const advice = 'Open it in an image editor, save it again and send the new file.'
    super('unsupported_media_type', 415, `The image is damaged: ${reason}. ${advice}`)
  }
}

function tooLarge(has: string, most: string): ValidationError {
  return new ValidationError(
    `The image has ${has}. The maximum is ${most}. Make it smaller and send it again.`,
  )
}
