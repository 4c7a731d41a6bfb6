/** A file that the server has stored. */
export interface MediaFile {
  readonly url: string
  /** Its name as the user knows it. */
  readonly name: string
  /** Its media type. */
  readonly type: string
  /** Of an image, in CSS pixels, where it is known. */
  readonly width?: number
  readonly height?: number
}

/**
 * The markdown that shows a file: an image, a video player, or a link for everything else. An image whose size is known
 * is written as HTML, so that the page keeps its room while it is loaded.
 *
 * @param alone true when it stands alone on its line: there a line break keeps an `<img>` from beginning a block of HTML, in
 * which the next line would be no markdown
 * @example
 * mediaMarkdown({ url: '/media/a.png', name: 'a [1].png', type: 'image/png' }) // '![a \\[1\\]](/media/a.png)'
 * mediaMarkdown({ url: '/media/a.png', name: 'a.png', type: 'image/png', width: 8, height: 8 })
 * // '<img src="/media/a.png" alt="a" width="8" height="8">'
 */
export function mediaMarkdown(
  { url, name, type, width, height }: MediaFile,
  alone = false,
): string {
  if (type.startsWith('image/')) {
    const alt = withoutExtension(name)
    if (width === undefined || height === undefined)
      return `![${escapeLabel(alt)}](${toDestination(url)})`
    const size = `width="${width}" height="${height}"`
    return `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(alt)}" ${size}>${alone ? '<br>' : ''}`
  }
  if (type.startsWith('video/')) {
    return `<video src="${escapeAttribute(url)}" controls width="100%">${escapeLabel(name)}</video>`
  }
  return `[${escapeLabel(name)}](${toDestination(url)})`
}

/** A text as the label of a link or image: what has a meaning there is escaped, control characters become spaces. */
export function escapeLabel(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\`*[\]<>&|]/g, '\\$&')
}

function withoutExtension(name: string): string {
  return name.replace(/(?<=.)\.[^.]+$/, '')
}

/** A URL as the destination of a link: what would end it is percent-encoded. */
function toDestination(url: string): string {
  return url.replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function escapeAttribute(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  const oneLine = text.replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return oneLine.replace(/[&<>"|]/g, (character) => `&#${character.charCodeAt(0)};`)
}

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
