const OOXML = 'application/vnd.openxmlformats-officedocument'

/** The media types of office documents by file extension. */
export const OFFICE_TYPES = {
  docx: `${OOXML}.wordprocessingml.document`,
  xlsx: `${OOXML}.spreadsheetml.sheet`,
  pptx: `${OOXML}.presentationml.presentation`,
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
} as const

/** The file extensions of each media type, without a dot. Stored files get the first extension. */
export const EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'image/png': 'png',
    'image/apng': 'apng png',
    'image/jpeg': 'jpg jpeg jpe jfif',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/avif': 'avif',
    'image/bmp': 'bmp',
    'image/tiff': 'tif tiff',
    'video/mp4': 'mp4 m4v',
    'video/webm': 'webm',
    'video/ogg': 'ogv ogg',
    'audio/mpeg': 'mp3',
    'audio/mp4': 'm4a mp4',
    'audio/aac': 'aac',
    'audio/ogg': 'ogg oga opus',
    'audio/webm': 'weba webm',
    'audio/wav': 'wav',
    'audio/flac': 'flac',
    'application/pdf': 'pdf',
    'application/zip': 'zip',
    'application/x-tar': 'tar',
    'application/gzip': 'gz tgz',
    ...Object.fromEntries(Object.entries(OFFICE_TYPES).map(([name, type]) => [type, name])),
    'application/json': 'json',
    'text/csv': 'csv',
    'text/markdown': 'md markdown',
    'text/plain': 'txt text log md markdown', // A Markdown file is also plain text.
  }).map(([type, extensions]) => [type, extensions.split(' ')]),
)

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/jpg': 'image/jpeg',
    'image/pjpeg': 'image/jpeg',
    'image/x-png': 'image/png',
    'image/x-ms-bmp': 'image/bmp',
    'audio/mp3': 'audio/mpeg',
    'audio/m4a': 'audio/mp4',
    'audio/x-m4a': 'audio/mp4',
    'audio/x-aac': 'audio/aac',
    'audio/wave': 'audio/wav',
    'audio/x-wav': 'audio/wav',
    'audio/vnd.wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'application/tar': 'application/x-tar',
    'application/x-gzip': 'application/gzip',
    'application/x-zip': 'application/zip',
    'application/x-zip-compressed': 'application/zip',
    'application/zip-compressed': 'application/zip',
    'application/x-pdf': 'application/pdf',
    'text/x-markdown': 'text/markdown',
    'text/rtf': 'application/rtf',
  }),
)

/** Returns the registered name of a media type, in lower case and without parameters. */
export function toMediaType(value: string): string {
  const type = (value.split(';', 1)[0] ?? '').trim().toLowerCase()
  return ALIASES.get(type) ?? type
}

/** The type that browsers send for a file of an unknown type. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Returns the types that a file claims. Also uses the name if the canonical type `declared` is
 * unknown or that of old Excel workbooks, because Windows gives CSV files that type too.
 */
export function claimedTypes(name: string, declared: string): string[] {
  if (declared !== UNKNOWN_TYPE && declared !== OFFICE_TYPES.xls) return [declared]
  const extension = /\.([^.]+)$/.exec(name.slice(-20))?.[1]?.toLowerCase() ?? ''
  const named = [...EXTENSIONS]
    .filter(([, known]) => known.includes(extension))
    .map(([type]) => type)
  return [declared, ...named]
}

const PICTURE = /^image\/[\w.+-]+(?<!xml)$/
const RECORDING = /^(?:audio|video)\/[\w.+-]+(?<!xml)$/

/** Returns whether two types are often confused. Audio and video types share containers. */
export function areAlike(type: string, other: string): boolean {
  return [PICTURE, RECORDING].some((kind) => kind.test(type) && kind.test(other))
}

/** Expects canonical types. Allows an unknown type, because the server checks the content. */
export function mayBeAllowed(name: string, declared: string, allowed: readonly string[]): boolean {
  const claimed = claimedTypes(name, declared)
  if (declared === UNKNOWN_TYPE || claimed.some((type) => allowed.includes(type))) return true
  return allowed.some((type) => areAlike(type, declared))
}
