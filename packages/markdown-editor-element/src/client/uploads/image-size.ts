import type { MediaFile } from './media-markdown.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * How large an image is to be shown, in CSS pixels: as the server says, else as the browser finds. Screenshots of a screen
 * with a pixel density of 2 or 3 are shown as they were on it. Nothing for what is no image, or cannot be read.
 */
export async function shownSize(file: File, stored: MediaFile): Promise<Partial<Size>> {
  if (!stored.type.startsWith('image/')) return {}
  const { width, height } = stored
  const size = width !== undefined && height !== undefined ? { width, height } : await measure(file)
  if (size === null) return {}
  const screen = await screenSize(file)
  // The server may have made it smaller already.
  const scale = screen === null ? 1 : Math.min(1, screen.width / size.width)
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  }
}

async function measure(file: File): Promise<Size | null> {
  try {
    const bitmap = await createImageBitmap(file)
    const { width, height } = bitmap
    bitmap.close()
    return { width, height }
  } catch {
    return null // Nothing that this browser can show.
  }
}

const SIGNATURE = 0x89504e47
const HEAD = 65_536
const CHUNK_TYPE = { IDAT: 0x49444154, pHYs: 0x70485973 }
/** Pixels per metre of screens, by what they say of themselves: 144 and 216 to an inch. */
const DENSITIES: readonly (readonly [number, number])[] = [
  [5669, 2],
  [8504, 3],
]

/** The size of a PNG on the screen that it shows; null when it does not say that it is of a dense one. */
async function screenSize(file: File): Promise<Size | null> {
  if (file.type !== 'image/png') return null
  const bytes = new DataView(await file.slice(0, HEAD).arrayBuffer())
  if (bytes.byteLength < 24 || bytes.getUint32(0) !== SIGNATURE) return null
  for (let at = 8; at + 17 <= bytes.byteLength; at += 12 + bytes.getUint32(at)) {
    const type = bytes.getUint32(at + 4)
    if (type === CHUNK_TYPE.IDAT) return null
    if (type !== CHUNK_TYPE.pHYs) continue
    const perMetre = bytes.getUint32(at + 8)
    const density = DENSITIES.find(([value]) => Math.abs(value - perMetre) <= 2)?.[1]
    if (density === undefined) return null
    return { width: bytes.getUint32(16) / density, height: bytes.getUint32(20) / density }
  }
  return null
}
