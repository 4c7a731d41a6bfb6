import { isMediaId } from './media-id.ts'

/** What {@link createMediaUrls} needs to know; names as in the settings. */
export interface MediaUrlOptions {
  /** Path of all media: `/media/`. */
  readonly mediaUrl: string
  /**
   * The application's own origin: `https://example.com`. Without it, absolute URLs are ours only through `publicUrls`.
   */
  readonly publicOrigin?: string
  /** Absolute URLs that stand for `mediaUrl`, for example that of a CDN: `https://cdn.example.com/media/`. */
  readonly publicUrls?: readonly string[]
  /**
   * Absolute URL under which a bucket or CDN serves permanent files by their keys, with its final slash; null: the
   * application serves them.
   */
  readonly publicUrl?: string | null
  /** Folder of temporary files in the storage: `md-editor/tmp/`. */
  readonly tempPath: string
  /** Folder of permanent files in the storage, with date codes: `md-editor/uploads/%Y/%m/`. */
  readonly uploadPath: string
}

/** What a URL of one of our media says. */
export interface MediaUrl {
  /** The media id. */
  readonly id: string
  /** File name after the id, decoded: `photo.png`. */
  readonly name: string
  /** Storage path, decoded: `md-editor/tmp/<id>-photo.png`. */
  readonly path: string
  /**
   * The folder that the path lies in; `other` when it is neither, which happens after `uploadPath` was changed. The id
   * alone says which file is meant.
   */
  readonly folder: 'temporary' | 'permanent' | 'other'
}

/** Recognises and makes the URLs of our media. */
export interface MediaUrls {
  /**
   * Reads a URL that a text refers to, decoded as `findMediaUrls` gives it.
   *
   * @returns null when it is not the URL of a medium of ours: another host or path, no id, a folder, dot segments
   * (plain or encoded), empty segments, backslashes, bad percent-encoding. Never throws.
   */
  parse(url: string): MediaUrl | null
  /** The application's own URL of a storage path, percent-encoded so that it can stand at every reference position. */
  build(path: string): string
  /** The URL of a permanent file: under `publicUrl` where that is set, else as {@link build} has it. */
  buildPermanent(path: string): string
  /**
   * The URL of a permanent file in place of `url`: with its query and fragment, and with its host unless there is a
   * `publicUrl`; the path as the settings spell it. Like {@link build}, it can stand in the text as it is.
   *
   * @returns null when {@link parse} does.
   */
  withPath(url: string, path: string): string | null
}

interface Base {
  /** Host with port, as `URL.host` writes it; null: reached by a path alone. */
  readonly host: string | null
  /** `https:`; null when the base has no host. */
  readonly protocol: string | null
  /** Its path with the final slash, as the settings spell it. */
  readonly path: string
  /** The decoded segments of that. */
  readonly segments: readonly string[]
}

interface Located {
  readonly media: MediaUrl
  /** Host as the text spells it, and path of the base. */
  readonly base: string
  /** Query and fragment. */
  readonly suffix: string
}

/**
 * Makes the reader and writer of media URLs. Only the given bases are ours: `mediaUrl` as a path or on `publicOrigin`,
 * `publicUrls` and `publicUrl`. Whole path segments are compared.
 *
 * @throws TypeError when `publicOrigin`, `publicUrl` or one of `publicUrls` is no absolute URL.
 * @example
 * const urls = createMediaUrls({ mediaUrl: '/media/', tempPath: 'md-editor/tmp/', uploadPath: 'md-editor/uploads/%Y/%m/' })
 * urls.parse('/media/md-editor/tmp/m0123456789abcdefghjkmnpqrs-photo.png?x#y')?.name // 'photo.png'
 */
export function createMediaUrls(options: MediaUrlOptions): MediaUrls {
  const mediaSegments = segmentsOf(options.mediaUrl)
  const publicUrl = options.publicUrl ?? null
  const absolute = [...(options.publicUrls ?? []), ...(publicUrl === null ? [] : [publicUrl])].map(
    (url) => new URL(url),
  )
  if (options.publicOrigin !== undefined)
    absolute.push(new URL(options.mediaUrl, options.publicOrigin))
  const bases: Base[] = [
    { host: null, protocol: null, path: options.mediaUrl, segments: mediaSegments },
  ]
  for (const { host, protocol, pathname } of absolute) {
    bases.push({
      host,
      protocol,
      path: pathname.replace(/\/*$/, '/'),
      segments: segmentsOf(pathname),
    })
  }

  const temporary = segmentsOf(options.tempPath)
  const permanent = segmentsOf(options.uploadPath.replace(/[^/]*%.*$/s, ''))

  const locate = (url: string): Located | null => {
    const parts = splitUrl(url)
    if (parts === null) return null
    const segments = decodeSegments(parts.path)
    const base = bases.find((candidate) => isUnder(candidate, parts, segments))
    if (segments === null || base === undefined) return null
    const path = segments.slice(base.segments.length)
    const [, id, name] = /^([^-]*)-(.+)$/s.exec(path.at(-1) ?? '') ?? []
    if (!isMediaId(id) || name === undefined) return null
    const folder = startsWith(path, temporary)
      ? 'temporary'
      : startsWith(path, permanent)
        ? 'permanent'
        : 'other'
    return {
      media: { id, name, path: path.join('/'), folder },
      base: parts.origin + base.path,
      suffix: parts.suffix,
    }
  }

  return {
    parse: (url) => locate(url)?.media ?? null,
    build: (path) => `${options.mediaUrl}${encodePath(path)}`,
    buildPermanent: (path) => `${publicUrl ?? options.mediaUrl}${encodePath(path)}`,
    withPath: (url, path) => {
      const located = locate(url)
      return (
        located && `${publicUrl ?? located.base}${encodePath(path)}${encodeSuffix(located.suffix)}`
      )
    },
  }
}

interface UrlParts {
  /** `https://example.com`, `//example.com` or nothing. */
  readonly origin: string
  /** As `URL.protocol` and `URL.host` have them; null: left out. */
  readonly protocol: string | null
  readonly host: string | null
  /** From the first slash to query or fragment, as it is spelled. */
  readonly path: string
  readonly suffix: string
}

/**
 * Splits a URL without resolving anything: the `URL` class would silently remove the dot segments that we refuse.
 * As browsers do, it drops tabs and line feeds, and spaces around. The forms that only a browser's patience makes
 * absolute (`https:/media`, `/\host`) are not ours.
 */
function splitUrl(url: string): UrlParts | null {
  const cleaned = url.replace(/^[\0- ]+|[\t\n\r]+/g, '').trimEnd()
  const match = /^((?:([a-z][a-z0-9+.-]*:)?\/\/([^/?#\\]+))?)(\/[^?#\\]*)([?#].*)?$/is.exec(cleaned)
  if (match === null) return null
  const [, origin = '', protocol, authority, path = '', suffix = ''] = match
  if (authority === undefined)
    return path.startsWith('//') ? null : { origin, protocol: null, host: null, path, suffix }
  const address = `${protocol ?? 'https:'}//${authority}`
  if (!URL.canParse(address)) return null
  const parsed = new URL(address)
  if (parsed.username !== '' || parsed.password !== '') return null
  return {
    origin,
    protocol: protocol === undefined ? null : parsed.protocol,
    host: parsed.host,
    path,
    suffix,
  }
}

/** Decodes each segment once. Null when one is empty, a dot segment, or holds a character that no path of ours has. */
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

function isUnder(
  base: Base,
  { protocol, host }: UrlParts,
  segments: readonly string[] | null,
): boolean {
  const isSameOrigin = host === base.host && (protocol === null || protocol === base.protocol)
  return isSameOrigin && segments !== null && startsWith(segments, base.segments)
}

function startsWith(segments: readonly string[], start: readonly string[]): boolean {
  return (
    segments.length > start.length && start.every((segment, index) => segments[index] === segment)
  )
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decodeURIComponent)
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/')
}

/**
 * Also encodes what `encodeURIComponent` leaves: `!'()*`, which have a meaning in Markdown or HTML, and
 * punctuation at the end, which would look like that of a sentence around the URL.
 */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]|[._~]$/g, percentEncode)
}

/** A query or fragment keeps its meaning, but nothing in it can end a destination, open a tag or read as an entity. */
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
