import { supportedMimeTypes } from 'file-type'

/** What is known of a media type beyond its name. */
interface MediaTypeInfo {
  /** Extensions of such files; the first is the one that we give. */
  readonly extensions: readonly [string, ...string[]]
  /** How the bytes may look besides the type itself: its container, or a type that shares its signature. */
  readonly looksLike?: readonly string[]
  /** A browser may show it in place: it cannot run script, and needs no program but the browser. */
  readonly inline?: true
}

const OOXML = 'application/vnd.openxmlformats-officedocument'
const DOCX = `${OOXML}.wordprocessingml.document`
const XLSX = `${OOXML}.spreadsheetml.sheet`
const PPTX = `${OOXML}.presentationml.presentation`

const MEDIA_TYPES: Readonly<Record<string, MediaTypeInfo>> = {
  'image/png': { extensions: ['png'], looksLike: ['image/apng'], inline: true },
  'image/apng': { extensions: ['apng', 'png'], inline: true },
  'image/jpeg': { extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], inline: true },
  'image/gif': { extensions: ['gif'], inline: true },
  'image/webp': { extensions: ['webp'], inline: true },
  'image/avif': { extensions: ['avif'], inline: true },
  'image/bmp': { extensions: ['bmp'], inline: true },
  'video/mp4': { extensions: ['mp4', 'm4v'], looksLike: ['video/x-m4v'], inline: true },
  'video/webm': { extensions: ['webm'], inline: true },
  'video/ogg': { extensions: ['ogv', 'ogg'], looksLike: ['application/ogg'], inline: true },
  'audio/mpeg': { extensions: ['mp3'], inline: true },
  'audio/mp4': { extensions: ['m4a', 'mp4'], looksLike: ['video/mp4'], inline: true },
  'audio/aac': { extensions: ['aac'], inline: true },
  'audio/ogg': { extensions: ['ogg', 'oga', 'opus'], looksLike: ['application/ogg'], inline: true },
  'audio/webm': { extensions: ['weba', 'webm'], looksLike: ['video/webm'], inline: true },
  'audio/wav': { extensions: ['wav'], inline: true },
  'audio/flac': { extensions: ['flac'], inline: true },
  'application/pdf': { extensions: ['pdf'] },
  'application/zip': { extensions: ['zip'], looksLike: [DOCX, XLSX, PPTX] },
  'application/x-tar': { extensions: ['tar'] },
  'application/gzip': { extensions: ['gz', 'tgz'] },
  // The first bytes do not always tell an office document from any other ZIP or OLE file.
  [DOCX]: { extensions: ['docx'], looksLike: ['application/zip'] },
  [XLSX]: { extensions: ['xlsx'], looksLike: ['application/zip'] },
  [PPTX]: { extensions: ['pptx'], looksLike: ['application/zip'] },
  'application/msword': { extensions: ['doc'], looksLike: ['application/x-cfb'] },
  'application/vnd.ms-excel': { extensions: ['xls'], looksLike: ['application/x-cfb'] },
  'application/vnd.ms-powerpoint': { extensions: ['ppt'], looksLike: ['application/x-cfb'] },
  'application/json': { extensions: ['json'] },
  'text/plain': { extensions: ['txt', 'text', 'log'] },
  'text/csv': { extensions: ['csv'] },
  'text/markdown': { extensions: ['md', 'markdown'] },
}

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
  'application/x-pdf': 'application/pdf',
  'text/x-markdown': 'text/markdown',
  'text/rtf': 'application/rtf',
}

// What a browser runs or takes for a page or a part of one, and scripts of servers and shells.
const ACTIVE =
  /^(?:text\/(?:x-)?(?:html|css|xsl|ecmascript|jscript|typescript|vbscript|php|python|perl|sh|shellscript|cache-manifest)|(?:text|application)\/(?:x-)?javascript(?:1\.\d)?|text\/livescript|application\/(?:x-)?(?:ecmascript|typescript|httpd-php|php|sh|csh|perl|python|shockwave-flash|java-archive|msdownload|msdos-program)|application\/(?:wasm|vnd\.microsoft\.portable-executable)|message\/.*|multipart\/.*|.*[/+]xml(?:-dtd)?)$/

/** The types that may be uploaded unless the settings say otherwise: images, video, audio and documents. */
export const DEFAULT_UPLOAD_TYPES: readonly string[] = Object.freeze([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'application/pdf',
  'application/zip',
  'application/x-tar',
  'application/gzip',
  'text/plain',
  'text/csv',
  'application/json',
  DOCX,
  XLSX,
  PPTX,
])

/**
 * A media type in its canonical spelling: lower case, without parameters, the registered name for common aliases.
 *
 * @example
 * toMediaType('IMAGE/JPG; q=1') // 'image/jpeg'
 */
export function toMediaType(value: string): string {
  const type = (value.split(';', 1)[0] ?? '').trim().toLowerCase()
  return Object.hasOwn(ALIASES, type) ? (ALIASES[type] ?? type) : type
}

/** True for types that can carry script or pass for a page: HTML, SVG and other XML, style sheets, scripts. */
export function isActiveType(type: string): boolean {
  return ACTIVE.test(type)
}

/** True for types that have no signature: their bytes are checked to be text. */
export function isTextType(type: string): boolean {
  return !isActiveType(type) && (type.startsWith('text/') || isJsonType(type))
}

/** True for JSON and what is built on it. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** True when the content of a file can be checked to be of this type. */
export function isCheckableType(type: string): boolean {
  return isTextType(type) || infoOf(type) !== undefined || supportedMimeTypes.has(type)
}

/** True when bytes that were recognised as `detected` may be a file of type `declared`. */
export function matchesType(declared: string, detected: string): boolean {
  return declared === detected || (infoOf(declared)?.looksLike?.includes(detected) ?? false)
}

/** Extensions of files of this type, the preferred one first; none for types that we do not know by name. */
export function extensionsOf(type: string): readonly string[] {
  return infoOf(type)?.extensions ?? (isJsonType(type) ? ['json'] : isTextType(type) ? ['txt'] : [])
}

/** True when a browser may show files of this type in place instead of downloading them. */
export function isInlineType(type: string): boolean {
  return infoOf(type)?.inline ?? false
}

function infoOf(type: string): MediaTypeInfo | undefined {
  return Object.hasOwn(MEDIA_TYPES, type) ? MEDIA_TYPES[type] : undefined
}
