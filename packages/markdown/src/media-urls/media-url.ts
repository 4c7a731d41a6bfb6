import { isMediaId } from './media-id.ts'

/** Options of {@link createMediaUrls}. */
export interface MediaUrlOptions {
  readonly mediaUrl: string
  /** The origin of the application. Without it, only `publicUrls` match absolute URLs. */
  readonly publicOrigin?: string | undefined
  /** Absolute base URLs of the same files, for example `https://cdn.example.com/media/`. */
  readonly publicUrls?: readonly string[]
  /** The folder of temporary files in the storage, for example `md-editor/tmp/`. */
  readonly tempPath: string
  /** The folder of permanent files, with date codes, for example `md-editor/uploads/%Y/%m/`. */
  readonly uploadPath: string
}

/** The parts of a media URL. */
export interface MediaUrl {
  readonly id: string
  /** The decoded file name without the id and the picture size, for example `photo.png`. */
  readonly name: string
  /** The decoded storage path, for example `md-editor/tmp/<id>-photo.png`. */
  readonly path: string
  /**
   * The folder of the path. It is `other` if the path is in neither folder, for example after a
   * change of `uploadPath`. The id alone identifies the file.
   */
  readonly folder: 'temporary' | 'permanent' | 'other'
}

/** Parses and builds media URLs. */
export interface MediaUrls {
  /**
   * Parses a URL from `findMediaUrls`. Returns null for URLs without a media id, for other sites
   * and paths, for dot segments (even if encoded), and for invalid percent-encoding. Never throws.
   */
  parse(url: string): MediaUrl | null
  /** Returns the URL of a storage path. The URL is valid everywhere in Markdown and HTML. */
  build(path: string): string
  /** Replaces the path of a URL, and keeps the rest. Returns null if `parse` returns null. */
  withPath(url: string, path: string): string | null
}

/**
 * Creates the functions that parse and build media URLs. A media URL begins with `mediaUrl` (alone
 * or after `publicOrigin`) or with one of the `publicUrls`. Whole path segments are compared.
 *
 * @throws TypeError if `publicOrigin` or one of `publicUrls` is not an absolute URL
 * @example
 * const urls = createMediaUrls({
 *   mediaUrl: '/media/',
 *   tempPath: 'md-editor/tmp/',
 *   uploadPath: 'md-editor/uploads/%Y/%m/',
 * })
 * urls.parse('/media/md-editor/tmp/m0123456789abcdefghjkmnpqrs-photo.png?x#y')?.name // 'photo.png'
 */
export function createMediaUrls(options: MediaUrlOptions): MediaUrls {
  const { mediaUrl, publicOrigin, publicUrls = [] } = options
  const absolute = publicUrls.map((url) => new URL(url))
  if (publicOrigin !== undefined) absolute.push(new URL(mediaUrl, publicOrigin))
  // The site is the protocol and the host. For a path without a host, it is null.
  const bases = [
    { site: null, path: mediaUrl, segments: segmentsOf(mediaUrl) },
    ...absolute.map((url) => {
      const path = url.pathname.replace(/\/*$/, '/')
      return { site: siteOf(url), path, segments: segmentsOf(path) }
    }),
  ]
  const temporary = segmentsOf(options.tempPath)
  const permanent = segmentsOf(options.uploadPath.replace(/[^/]*%.*$/s, ''))

  const locate = (url: string) => {
    const parts = splitUrl(url)
    const base =
      parts &&
      bases.find(({ site, segments }) => {
        return startsWith(parts.segments, segments) && isOnSite(parts.prefix, site)
      })
    if (!base) return null
    const path = parts.segments.slice(base.segments.length)
    const [, id, name] = /^([^-]*)-(?:\d{1,5}x\d{1,5}-)?(.+)$/s.exec(path.at(-1) ?? '') ?? []
    if (!isMediaId(id) || name === undefined) return null
    const known = startsWith(path, permanent) ? 'permanent' : 'other'
    const folder = startsWith(path, temporary) ? 'temporary' : known
    return { media: { id, name, path: path.join('/'), folder } as const, base, parts }
  }

  return {
    parse: (url) => locate(url)?.media ?? null,
    build: (path) => mediaUrl + encodePath(path),
    withPath: (url, path) => {
      const located = locate(url)
      if (located === null) return null
      const { base, parts } = located
      return parts.prefix + base.path + encodePath(path) + encodeSuffix(parts.suffix)
    },
  }
}

/**
 * Splits a URL. Does not use the `URL` class, because this class removes dot segments. Like
 * browsers, ignores tabs, line breaks and outer spaces. Unlike browsers, rejects unusual absolute
 * URLs such as `https:/media` and `/\host`.
 */
function splitUrl(url: string) {
  const cleaned = url.replace(/^[\0- ]+|[\t\n\r]+/g, '').trimEnd()
  const match = /^((?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]+)?)(\/[^?#\\]*)([?#].*)?$/is.exec(cleaned)
  const [, prefix = '', path = '', suffix = ''] = match ?? []
  const segments = match && decodeSegments(path)
  return segments && { prefix, segments, suffix }
}

/** A URL without a protocol, such as `//example.com`, matches any protocol. */
function isOnSite(prefix: string, site: string | null): boolean {
  if (prefix === '' || site === null) return prefix === '' && site === null
  const url = URL.parse(prefix, site)
  return url !== null && url.username === '' && url.password === '' && siteOf(url) === site
}

function siteOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}

/** Returns null if a segment is invalid, for example `..` or `a%2Fb`. */
function decodeSegments(path: string): string[] | null {
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    return segments.some((segment) => /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]/u.test(segment))
      ? null
      : segments
  } catch {
    return null
  }
}

function startsWith(segments: readonly string[], start: readonly string[]): boolean {
  return (
    segments.length > start.length && start.every((segment, index) => segments[index] === segment)
  )
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decodeURIComponent)
}

/**
 * Encodes a path, including characters that have a meaning in Markdown or HTML or end a sentence.
 */
function encodePath(path: string): string {
  return encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]|[._~](?=\/|$)/g, percentEncode)
}

/** Encodes the characters that could end a link, open a tag or begin a character reference. */
function encodeSuffix(suffix: string): string {
  return suffix
    .replace(/[\s\0-\x20"'()<>[\]\\`*,|{}^\x7f]/g, percentEncode)
    .replace(/&(?=#|\w+;)/g, '&amp;')
}

function percentEncode(character: string): string {
  return encodeURIComponent(character).replace(
    /^[^%]$/,
    (plain) => `%${plain.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
