import type { ByteEditor, Walk } from './byte-editor.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b

const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff

/** Application extensions that say how often an animation is repeated. */
const REPETITIONS: readonly string[] = ['NETSCAPE2.0', 'ANIMEXTS1.0']
const COLOUR_PROFILE = 'ICCRGBG1012'

/** The first bytes of the block with the number of repetitions: its length and its kind. */
const REPETITION = '\x03\x01'

/**
 * A GIF (CompuServe, 87a and 89a), animated or not. Dropped are comments, texts, which no browser
 * draws, XMP and other application extensions, and whatever follows the end.
 */
export function* walkGif(io: ByteEditor, image: ImageMeter): Walk {
  const start = yield* io.peek(10)
  if (!/^GIF8[79]a$/.test(start.toString('latin1', 0, 6)))
    throw new DamagedImageError('it does not begin as a GIF')
  image.measure(start.readUInt16LE(6), start.readUInt16LE(8))
  image.isShowable = true
  yield* io.keep(10)
  const flags = (yield* io.peek(1)).readUInt8(0)
  yield* io.keep(3 + tableLength(flags))

  for (let isFirst = true; ; ) {
    const kind = (yield* io.peek(1)).readUInt8(0)
    if (kind === EXTENSION) yield* walkExtension(io)
    else if (kind === FRAME) {
      yield* keepFrame(io, image, isFirst)
      isFirst = false
    } else {
      // Browsers take anything else for the end.
      io.write(Uint8Array.of(TRAILER))
      return
    }
  }
}

/** Bytes of the colour table that the flags of a descriptor announce. */
function tableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function* keepFrame(io: ByteEditor, image: ImageMeter, isFirst: boolean): Walk {
  const descriptor = yield* io.peek(10)
  image.addFrame()
  if (isFirst) {
    // Browsers make room for the first frame, and cut off others.
    const [left, top] = [descriptor.readUInt16LE(1), descriptor.readUInt16LE(3)]
    image.grow(left + descriptor.readUInt16LE(5), top + descriptor.readUInt16LE(7))
  }
  const codeSize = 1
  yield* io.keep(10 + tableLength(descriptor.readUInt8(9)) + codeSize)
  yield* keepBlocks(io)
}

function* walkExtension(io: ByteEditor): Walk {
  const head = yield* io.peek(3)
  const [label, size] = [head.readUInt8(1), head.readUInt8(2)]
  if (label === GRAPHIC_CONTROL && size === 4) return yield* keepFirstBlock(io, 2)
  if (label === APPLICATION && size === 11) {
    const start = yield* io.peek(14)
    const name = start.toString('latin1', 3)
    if (name === COLOUR_PROFILE) {
      yield* io.keep(2)
      return yield* keepBlocks(io)
    }
    const block = REPETITIONS.includes(name) ? yield* io.peek(16) : start
    if (block.toString('latin1', 14) === REPETITION) return yield* keepFirstBlock(io, 14)
  }
  yield* io.drop(2)
  yield* dropBlocks(io)
}

/** Keeps the head of an extension and the next block. Decoders do not look at others. */
function* keepFirstBlock(io: ByteEditor, head: number): Walk {
  const length = (yield* io.peek(head + 1)).readUInt8(head)
  yield* io.keep(head + 1 + length)
  yield* dropBlocks(io)
  io.write(Uint8Array.of(0))
}

/** Blocks of up to 255 bytes, each with its length before it; an empty one is the last. */
function* keepBlocks(io: ByteEditor): Walk {
  for (;;) {
    io.keepTo(overBlocks)
    const length = (yield* io.peek(1)).readUInt8(0)
    yield* io.keep(1 + length)
    if (length === 0) return
  }
}

function* dropBlocks(io: ByteEditor): Walk {
  for (;;) {
    io.dropTo(overBlocks)
    const length = (yield* io.peek(1)).readUInt8(0)
    yield* io.drop(1 + length)
    if (length === 0) return
  }
}

/** Goes over blocks that are here as a whole, up to the last one. */
function overBlocks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.byteLength) {
    const next = at + 1 + bytes.readUInt8(at)
    if (next === at + 1 || next > bytes.byteLength) break
    at = next
  }
  return at
}
