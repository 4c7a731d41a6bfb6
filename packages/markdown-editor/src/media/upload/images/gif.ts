import type { ByteEditor, Walk } from './byte-editor.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

const EXTENSION = 0x21
const FRAME = 0x2c
const TRAILER = 0x3b

const PLAIN_TEXT = 0x01
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff

/** Application extensions that belong to the image: how often it is repeated, and its colour profile. */
const KEPT_APPLICATIONS: readonly string[] = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

/**
 * A GIF (CompuServe, 87a and 89a), animated or not. Dropped are comments, XMP and other application extensions, and
 * whatever follows the end.
 */
export function* walkGif(io: ByteEditor, image: ImageMeter): Walk {
  const start = yield* io.peek(10)
  if (!/^GIF8[79]a$/.test(start.toString('latin1', 0, 6))) throw new DamagedImageError('it does not begin as a GIF')
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
  const isKept =
    label === GRAPHIC_CONTROL ||
    label === PLAIN_TEXT ||
    (label === APPLICATION && size === 11 && (yield* isKeptApplication(io)))
  if (isKept) {
    yield* io.keep(2)
    yield* keepBlocks(io)
  } else {
    yield* io.drop(2)
    yield* dropBlocks(io)
  }
}

function* isKeptApplication(io: ByteEditor): Walk<boolean> {
  return KEPT_APPLICATIONS.includes((yield* io.peek(14)).toString('latin1', 3))
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
