import { mediaTypes } from '@quillgate/markdown-editor-element/contract'
import { supportedMimeTypes } from 'file-type'

const { docx, xlsx, pptx, doc, xls, ppt } = mediaTypes.OFFICE_TYPES

/** Maps a declared type to the other types that `file-type` may detect in such a file. */
const LOOKS_LIKE: ReadonlyMap<string, readonly string[]> = new Map([
  ['image/png', ['image/apng']],
  ['video/mp4', ['video/x-m4v']],
  ['video/ogg', ['application/ogg']],
  ['audio/mp4', ['video/mp4']],
  ['audio/ogg', ['application/ogg']],
  ['audio/webm', ['video/webm']],
  ['application/zip', [docx, xlsx, pptx]],
  // The first bytes do not always distinguish an office document from other ZIP or OLE files.
  [docx, ['application/zip']],
  [xlsx, ['application/zip']],
  [pptx, ['application/zip']],
  [doc, ['application/x-cfb']],
  [xls, ['application/x-cfb']],
  [ppt, ['application/x-cfb']],
])

/** The types of images whose metadata can be removed. Other images are not accepted. */
const CLEANABLE_IMAGES = [
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
] as const

/** The type of an image whose metadata can be removed. */
export type CleanableImage = (typeof CLEANABLE_IMAGES)[number]

/** Types that a browser may display instead of downloading, because they cannot run scripts. */
const INLINE: readonly RegExp[] = [
  /^image\/(?:png|apng|jpeg|gif|webp)$/,
  /^video\/(?:mp4|webm|ogg)$/,
  /^audio\/(?:mpeg|mp4|aac|ogg|webm|wav|flac)$/,
]

// Matches types that a browser executes or displays as a page, and types of programs and scripts.
const ACTIVE =
  /^(?:text\/(?:x-)?(?:html|css|xsl|ecmascript|jscript|typescript|vbscript|php|python|perl|sh|shellscript|cache-manifest)|(?:text|application)\/(?:x-)?javascript(?:1\.\d)?|text\/livescript|application\/(?:x-)?(?:ecmascript|typescript|httpd-php|php|sh|csh|perl|python|shockwave-flash|java-archive|msdownload|msdos-program)|application\/(?:wasm|vnd\.microsoft\.portable-executable)|message\/.*|multipart\/.*|.*[/+]xml(?:-dtd)?)$/

/** The default of `allowedUploadTypes`: images, video, audio, documents and archives. */
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
  docx,
  xlsx,
  pptx,
])

/** Returns true if files of a type can run code or affect a page, such as HTML, SVG and CSS. */
export function isActiveType(type: string): boolean {
  return ACTIVE.test(type)
}

/** Returns true if the metadata of images of this type can be removed. */
export function isCleanableImage(type: string): type is CleanableImage {
  return (CLEANABLE_IMAGES as readonly string[]).includes(type)
}

/** Returns true for JSON and for other text types that cannot run code. */
export function isTextType(type: string): boolean {
  return !isActiveType(type) && (type.startsWith('text/') || isJsonType(type))
}

/** Returns true if a type is JSON or based on JSON. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** Returns true if the content of a file can be checked against this type. */
export function isCheckableType(type: string): boolean {
  return isTextType(type) || mediaTypes.EXTENSIONS.has(type) || supportedMimeTypes.has(type)
}

/** Returns true if a file of the type `declared` can have the detected type `detected`. */
export function matchesType(declared: string, detected: string): boolean {
  return declared === detected || (LOOKS_LIKE.get(declared)?.includes(detected) ?? false)
}

/** Returns the file extensions of a type, the preferred extension first. The list can be empty. */
export function extensionsOf(type: string): readonly string[] {
  return (
    mediaTypes.EXTENSIONS.get(type) ??
    (isJsonType(type) ? ['json'] : isTextType(type) ? ['txt'] : [])
  )
}

/** Returns true if a browser may display files of this type instead of downloading them. */
export function isInlineType(type: string): boolean {
  return INLINE.some((pattern) => pattern.test(type))
}
