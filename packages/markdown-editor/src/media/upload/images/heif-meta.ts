import { type Box, BoxReader, readBoxes } from './heif-boxes.ts'
import { DamagedImageError, type ImageMeter } from './image-meter.ts'

/** The position of a piece of metadata in the file. */
export interface MetadataRange {
  readonly start: number
  readonly length: number
  readonly isExif: boolean
}

/** The directory of a file, without the metadata that it held itself. */
export interface CleanMeta {
  /** The whole `meta` box, as long as before. */
  readonly box: Uint8Array
  /** The metadata elsewhere in the file, the last first. */
  readonly metadata: MetadataRange[]
}

/** Items that are no picture: EXIF, XMP and other documents (ISO/IEC 23008-12, annex A). */
const METADATA_ITEMS: readonly string[] = ['Exif', 'mime', 'uri ']

/** Boxes of the directory that describe the image. */
const KEPT_BOXES: readonly string[] = [
  'hdlr',
  'pitm',
  'iinf',
  'iloc',
  'iprp',
  'iref',
  'idat',
  'grpl',
  'dinf',
]

/** Where the bytes of an item lie: within the file, or within the box `idat`. */
const [IN_FILE, IN_IDAT] = [0, 1]

/** EXIF data without an entry: where the TIFF header is, the header, an empty directory. */
const EMPTY_EXIF = Buffer.from('000000004d4d002a00000008000000000000', 'hex')

/** An XMP document without an entry; documents end in blanks. */
const EMPTY_XMP = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
const [ZERO, BLANK] = [0, 0x20]

/**
 * Reads the directory of a HEIF or AVIF file: notes the size of the image, and finds its metadata.
 *
 * @param meta the whole `meta` box, its head included
 */
export function cleanMeta(meta: Uint8Array, image: ImageMeter): CleanMeta {
  const box = Buffer.from(meta) // a copy
  const children = readBoxes(box, 12, box.byteLength)
  measurePrimary(box, children, image)
  const metadata: MetadataRange[] = []
  const idat = children.find(({ type }) => type === 'idat')
  // Items that lie upon each other could announce any amount of work.
  let room = idat ? idat.end - idat.start : 0
  for (const { method, start, length, isExif } of findMetadata(box, children)) {
    if (method === IN_FILE && length > 0) metadata.push({ start, length, isExif })
    else if (
      method === IN_IDAT &&
      idat &&
      idat.start + start + length <= idat.end &&
      length <= room
    ) {
      room -= length
      const { beginning, filling } = emptyDocument(isExif, length)
      box.fill(filling, idat.start + start, idat.start + start + length)
      box.set(beginning, idat.start + start)
    } else throw new DamagedImageError('its metadata cannot be found')
  }
  for (const { type, start, end } of children) {
    if (KEPT_BOXES.includes(type)) continue
    box.write('free', start - 4, 'latin1')
    box.fill(0, start, end)
  }
  return { box, metadata: metadata.sort((a, b) => b.start - a.start) }
}

/** The replacement for metadata of some length: the first bytes, and a filling for the rest. */
export function emptyDocument(
  isExif: boolean,
  length: number,
): { beginning: Uint8Array; filling: number } {
  const beginning = isExif ? EMPTY_EXIF : EMPTY_XMP
  return {
    beginning: beginning.byteLength <= length ? beginning : Buffer.alloc(0),
    filling: isExif ? ZERO : BLANK,
  }
}

function findMetadata(
  box: Buffer,
  children: readonly Box[],
): (ItemLocation & { isExif: boolean })[] {
  const iloc = children.find(({ type }) => type === 'iloc')
  if (!iloc) return []
  const types = readItemTypes(box, children)
  return readLocations(box, iloc)
    .filter(({ item }) => METADATA_ITEMS.includes(types.get(item) ?? ''))
    .map((location) => ({ ...location, isExif: types.get(location.item) === 'Exif' }))
}

/**
 * Notes the size of the image that is shown; its thumbnails and tiles must not be too large either.
 */
function measurePrimary(bytes: Buffer, boxes: readonly Box[], image: ImageMeter): void {
  const find = (type: string, among: readonly Box[]): Box => {
    const found = among.find((box) => box.type === type)
    if (!found) throw new DamagedImageError('it has no size')
    return found
  }
  const pitm = new BoxReader(bytes, find('pitm', boxes))
  const primary = pitm.uint(pitm.version === 0 ? 2 : 4)
  const iprp = find('iprp', boxes)
  const containers = readBoxes(bytes, iprp.start, iprp.end)
  const ipco = find('ipco', containers)
  const properties = readBoxes(bytes, ipco.start, ipco.end)
  for (const box of properties) if (box.type === 'ispe') image.check(...readExtent(bytes, box))

  const own = containers
    .filter(({ type }) => type === 'ipma')
    .flatMap((box) => readAssociations(new BoxReader(bytes, box), primary))
    .flatMap((index) => properties[index - 1] ?? [])
  image.measure(...readExtent(bytes, find('ispe', own)))
  const irot = own.find(({ type }) => type === 'irot')
  // Quarter turns, which are the orientations 8, 3 and 6 of EXIF. EXIF itself does not count in
  // these files.
  if (irot && irot.end > irot.start)
    image.orientation = [1, 8, 3, 6][bytes.readUInt8(irot.start) & 3] ?? 1
}

function readExtent(bytes: Buffer, box: Box): [width: number, height: number] {
  const ispe = new BoxReader(bytes, box)
  return [ispe.uint(4), ispe.uint(4)]
}

/** The properties of one item, by their numbers from 1. */
function readAssociations(ipma: BoxReader, item: number): number[] {
  const isWide = (ipma.flags & 1) === 1
  const found: number[] = []
  for (let items = ipma.uint(4); items > 0; items--) {
    const id = ipma.uint(ipma.version === 0 ? 2 : 4)
    for (let count = ipma.uint(1); count > 0; count--) {
      const index = isWide ? ipma.uint(2) & 0x7fff : ipma.uint(1) & 0x7f
      if (id === item) found.push(index)
    }
  }
  return found
}

function readItemTypes(bytes: Buffer, boxes: readonly Box[]): Map<number, string> {
  const types = new Map<number, string>()
  for (const iinf of boxes.filter(({ type }) => type === 'iinf')) {
    const reader = new BoxReader(bytes, iinf)
    reader.uint(reader.version === 0 ? 2 : 4) // how many there are
    for (const box of readBoxes(bytes, reader.position, iinf.end)) {
      const infe = new BoxReader(bytes, box)
      if (infe.version < 2) throw new DamagedImageError('its directory is of an unknown version')
      const id = infe.uint(infe.version === 2 ? 2 : 4)
      infe.uint(2) // protection
      types.set(id, infe.type())
    }
  }
  return types
}

interface ItemLocation {
  readonly item: number
  readonly method: number
  readonly start: number
  readonly length: number
}

function readLocations(bytes: Buffer, box: Box): ItemLocation[] {
  const iloc = new BoxReader(bytes, box)
  const sizes = iloc.uint(2)
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexSize = iloc.version === 0 ? 0 : sizes & 15
  if (
    [offsetSize, lengthSize, baseSize, indexSize].some(
      (size) => size !== 0 && size !== 4 && size !== 8,
    )
  ) {
    throw new DamagedImageError('its directory is of an unknown version')
  }
  const locations: ItemLocation[] = []
  for (let items = iloc.uint(iloc.version < 2 ? 2 : 4); items > 0; items--) {
    const item = iloc.uint(iloc.version < 2 ? 2 : 4)
    const method = iloc.version === 0 ? IN_FILE : iloc.uint(2) & 15
    iloc.uint(2) // in which file: this one
    const base = iloc.uint(baseSize)
    const count = iloc.uint(2)
    // Else a few bytes could announce any number of them.
    if (count > 1 && offsetSize + lengthSize === 0)
      throw new DamagedImageError('its directory does not fit together')
    for (let extents = count; extents > 0; extents--) {
      iloc.uint(indexSize)
      const start = base + iloc.uint(offsetSize)
      locations.push({ item, method, start, length: iloc.uint(lengthSize) })
    }
  }
  return locations
}
