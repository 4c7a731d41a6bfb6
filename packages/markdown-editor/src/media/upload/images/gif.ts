import type { ByteEditor, Reading } from './byte-editor.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b

const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff

/** Application extensions that contain the number of repetitions of an animation. */
const REPETITIONS: readonly string[] = ['NETSCAPE2.0', 'ANIMEXTS1.0']
const COLOUR_PROFILE = 'ICCRGBG1012'

/** The first bytes of the block with the number of repetitions: its length and its kind. */
const REPETITION = '\x03\x01'

/**
 * Reads a GIF (CompuServe, 87a and 89a), animated or not. Keeps the color profile and the data of
 * animations. Drops all other extensions, such as comments, XMP and text blocks, which no browser
 * shows, and everything after the end.
 */
export function* readGif(io: ByteEditor, image: ImageMeter): Reading {
  const start = yield* io.peek(10)
  if (!/^GIF8[79]a$/.test(start.toString('latin1', 0, 6)))
    throw new DamagedImageError('it does not begin like a GIF')
  image.measure(start.readUInt16LE(6), start.readUInt16LE(8))
  image.isShowable = true // The rest of the file may be truncated.
  yield* io.keep(10)
  yield* io.keep(3 + tableLength((yield* io.peek(1)).readUInt8(0)))
  for (;;) {
    const kind = (yield* io.peek(1)).readUInt8(0)
    if (kind === EXTENSION) yield* readExtension(io)
    else if (kind === FRAME) yield* readFrame(io, image)
    else break
  }
  io.write(Uint8Array.of(TRAILER)) // Browsers treat any other block as the end.
}

function* readFrame(io: ByteEditor, image: ImageMeter): Reading {
  const descriptor = yield* io.peek(10)
  image.addFrame()
  if (image.frames === 1) {
    // If the first frame is larger than the image, browsers enlarge the image. They crop all other
    // frames.
    const [left, top] = [descriptor.readUInt16LE(1), descriptor.readUInt16LE(3)]
    image.grow(left + descriptor.readUInt16LE(5), top + descriptor.readUInt16LE(7))
  }
  const codeSize = 1
  yield* io.keep(10 + tableLength(descriptor.readUInt8(9)) + codeSize)
  yield* passBlocks(io, 'keep')
}

function* readExtension(io: ByteEditor): Reading {
  const head = yield* io.peek(3)
  const [label, size] = [head.readUInt8(1), head.readUInt8(2)]
  if (label === GRAPHIC_CONTROL && size === 4) return yield* keepFirstBlock(io, 2)
  if (label === APPLICATION && size === 11) {
    const name = (yield* io.peek(14)).toString('latin1', 3)
    if (name === COLOUR_PROFILE) {
      yield* io.keep(2)
      return yield* passBlocks(io, 'keep')
    }
    const isRepetition =
      REPETITIONS.includes(name) && (yield* io.peek(16)).toString('latin1', 14) === REPETITION
    if (isRepetition) return yield* keepFirstBlock(io, 14)
  }
  yield* io.drop(2)
  yield* passBlocks(io, 'drop')
}

/** Keeps `head` bytes and the first block. Drops the other blocks, which decoders ignore. */
function* keepFirstBlock(io: ByteEditor, head: number): Reading {
  const length = (yield* io.peek(head + 1)).readUInt8(head)
  yield* io.keep(head + 1 + length)
  yield* passBlocks(io, 'drop')
  io.write(Uint8Array.of(0))
}

function tableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Keeps or drops all blocks up to the empty block. A block begins with its length. */
function* passBlocks(io: ByteEditor, action: 'keep' | 'drop'): Reading {
  for (let length = 1; length > 0; ) {
    const bytes = yield* io.peekAll()
    let at = 0
    while (at < bytes.byteLength && length > 0) {
      length = bytes.readUInt8(at)
      at += 1 + length
    }
    yield* io[action](at)
  }
}
