import type { ByteEditor, Step } from './byte-editor.ts'
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
 * Reads a GIF (CompuServe, 87a and 89a), animated or not. Drops comments, texts, which no browser
 * draws, XMP and other application extensions, and everything after the end.
 */
export function readGif(image: ImageMeter): Step {
  const part: Step = (io) => {
    const kind = io.peek(1).readUInt8(0)
    if (kind === EXTENSION) return readExtension(io, part)
    if (kind === FRAME) return readFrame(io, image, part)
    io.write(Uint8Array.of(TRAILER)) // Browsers take anything else for the end.
    return null
  }
  const colours: Step = (io) => {
    io.keep(3 + tableLength(io.peek(1).readUInt8(0)))
    return part
  }
  return (io) => {
    const start = io.peek(10)
    if (!/^GIF8[79]a$/.test(start.toString('latin1', 0, 6)))
      throw new DamagedImageError('it does not begin as a GIF')
    image.measure(start.readUInt16LE(6), start.readUInt16LE(8))
    image.isShowable = true // What follows may be cut off.
    io.keep(10)
    return colours
  }
}

function readFrame(io: ByteEditor, image: ImageMeter, next: Step): Step {
  const descriptor = io.peek(10)
  image.addFrame()
  if (image.frames === 1) {
    // Browsers make room for the first frame, and cut off others.
    const [left, top] = [descriptor.readUInt16LE(1), descriptor.readUInt16LE(3)]
    image.grow(left + descriptor.readUInt16LE(5), top + descriptor.readUInt16LE(7))
  }
  const codeSize = 1
  io.keep(10 + tableLength(descriptor.readUInt8(9)) + codeSize)
  return passBlocks('keep', next)
}

function readExtension(io: ByteEditor, next: Step): Step {
  const head = io.peek(3)
  const [label, size] = [head.readUInt8(1), head.readUInt8(2)]
  if (label === GRAPHIC_CONTROL && size === 4) return keepFirstBlock(2, next)
  if (label === APPLICATION && size === 11) {
    const name = io.peek(14).toString('latin1', 3)
    if (name === COLOUR_PROFILE) {
      io.keep(2)
      return passBlocks('keep', next)
    }
    if (REPETITIONS.includes(name) && io.peek(16).toString('latin1', 14) === REPETITION)
      return keepFirstBlock(14, next)
  }
  io.drop(2)
  return passBlocks('drop', next)
}

/** Keeps the head of an extension and the next block. Decoders ignore others. */
function keepFirstBlock(head: number, next: Step): Step {
  return (io) => {
    io.keep(head + 1 + io.peek(head + 1).readUInt8(head))
    return passBlocks('drop', (then) => {
      then.write(Uint8Array.of(0))
      return next
    })
  }
}

/** Returns the length of the colour table, from the flags of a descriptor. */
function tableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Passes blocks of up to 255 bytes, each with its length before it; an empty one is the last. */
function passBlocks(action: 'keep' | 'drop', next: Step): Step {
  const pass: Step = (io) => {
    const bytes = io.peekAll()
    let [at, length] = [0, 1]
    while (at < bytes.byteLength && length > 0) {
      length = bytes.readUInt8(at)
      at += 1 + length
    }
    io[action](at)
    return length > 0 ? pass : next
  }
  return pass
}
