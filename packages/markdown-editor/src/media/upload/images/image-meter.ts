import { QuillgateError } from '@quillgate/server/core'
import { ValidationError } from '../../../errors.ts'

/** Size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The maximum number of pixels of a side: the limit of JPEG, and more than browsers show. */
const MAX_SIDE = 65_535

/**
 * All frames of an animation may have so many times the pixels of a still image. Decoders hold one
 * frame at a time, so only their time grows.
 */
const ANIMATION_FACTOR = 20

/** The maximum number of scans of a JPEG. Encoders write up to about fifteen. */
const MAX_SCANS = 100

/** Records the size of an image, and refuses a decompression bomb (422 `validation_error`). */
export class ImageMeter {
  readonly #maxPixels: number
  #size: ImageSize | null = null
  #frames = 0
  #scans = 0
  /**
   * True once browsers show the image, or its upper part, whatever bytes follow. If it is damaged
   * or ends after this, the readable part is kept, because there may be no other copy.
   */
  isShowable = false
  /** The bytes to append to an image that is kept as far as it can be read; null: none. */
  ending: Uint8Array | null = null
  /** How the image is turned and mirrored when it is shown, as in EXIF: 1 (as it is) to 8. */
  orientation = 1

  /** @param maxPixels most pixels of a still image */
  constructor(maxPixels: number) {
    this.#maxPixels = maxPixels
  }

  /** Width and height as stored; null before {@link measure}. */
  get size(): ImageSize | null {
    return this.#size
  }

  /** Width and height as shown; null as long as they are not known. */
  get shownSize(): ImageSize | null {
    if (!this.#size || this.orientation < 5) return this.#size
    return { width: this.#size.height, height: this.#size.width }
  }

  /** Records the size from the header. */
  measure(width: number, height: number): void {
    if (this.#size) throw new DamagedImageError('it contains two sizes')
    if (width === 0 || height === 0) throw new DamagedImageError('it has no size')
    this.check(width, height)
    this.#size = { width, height }
  }

  /** Enlarges the size for a frame that reaches beyond it, as browsers do. */
  grow(right: number, bottom: number): void {
    const { width, height } = this.#size ?? { width: 0, height: 0 }
    const grown = { width: Math.max(width, right), height: Math.max(height, bottom) }
    this.check(grown.width, grown.height)
    this.#size = grown
  }

  /** Refuses a size that is too large, of the image or of a part of it. */
  check(width: number, height: number): void {
    if (width > MAX_SIDE || height > MAX_SIDE)
      throw tooLarge(`${width} × ${height} pixels`, `${MAX_SIDE} to a side`)
    if (width * height > this.#maxPixels)
      throw tooLarge(`${width} × ${height} pixels`, `${this.#maxPixels} together`)
  }

  /** Frames of an animation so far. */
  get frames(): number {
    return this.#frames
  }

  /** Counts a frame of an animation. */
  addFrame(): void {
    this.#frames += 1
    this.#checkRepeated(this.#frames, 'frames')
  }

  /** Counts a scan of a JPEG. A decoder goes over all pixels for each of them. */
  addScan(): void {
    this.#scans += 1
    if (this.#scans > MAX_SCANS) throw tooLarge(`more than ${MAX_SCANS} scans`, `${MAX_SCANS}`)
    this.#checkRepeated(this.#scans, 'scans')
  }

  #checkRepeated(count: number, parts: string): void {
    const { width, height } = this.#size ?? { width: 0, height: 0 }
    const most = this.#maxPixels * ANIMATION_FACTOR
    if (count > 1 && count * width * height > most)
      throw tooLarge(`more than ${most} pixels in its ${parts}`, `${most}`)
  }
}

/** The bytes of an image are not what its format says. */
export class DamagedImageError extends QuillgateError {
  override name = 'DamagedImageError'

  /** @param reason what is wrong, as it stands after a colon */
  constructor(reason: string) {
    const advice = 'Open it in an image editor, save it again and send the new file.'
    super('unsupported_media_type', 415, `The image is damaged: ${reason}. ${advice}`)
  }
}

function tooLarge(has: string, most: string): ValidationError {
  return new ValidationError(
    `The image has ${has}; accepted are at most ${most}. Make it smaller and send it again.`,
  )
}
