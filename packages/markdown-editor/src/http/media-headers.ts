import { toDownloadName } from '../media/upload/file-name.ts'
import { isInlineType } from '../media/upload/media-types.ts'
import type { RouteDependencies } from './dependencies.ts'
import type { FoundMedium } from './find-medium.ts'

/** For files with restricted access, and for temporary files, whose URLs change. */
export const PRIVATE = 'private, no-store'

/** Browsers ask again after five minutes, and find out that a file is gone. */
const BRIEF = 'max-age=300'

/**
 * Nothing in the file may act, should a browser ever take it for a page. A page that a browser
 * makes itself around a picture or a film may load just that.
 */
const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
/**
 * The page that a browser makes for a film requests it again, as its own origin. The page has no
 * scripts.
 */
const PLAYER_POLICY = `${POLICY} allow-same-origin`

type Needs = Pick<RouteDependencies, 'authorize'>

/** The headers of a file, but for those that depend on the part that is asked for. */
export function mediaHeaders(deps: Needs, found: FoundMedium): Headers {
  const headers = new Headers({
    'cache-control': cacheControl(deps, found),
    'content-security-policy': isPlayed(found) ? PLAYER_POLICY : POLICY,
    // A file that everybody may see can be part of any page, including cross-origin isolated ones.
    'cross-origin-resource-policy': deps.authorize ? 'same-site' : 'cross-origin',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'content-disposition': dispositionOf(found),
  })
  if (found.medium.checksum) headers.set('etag', `"${found.medium.checksum}"`)
  return headers
}

/** True for sound and films. */
export function isPlayed({ medium }: FoundMedium): boolean {
  return /^(?:audio|video)\//.test(medium.type)
}

/** Whether the file is shown in place or saved, and under which name. */
export function dispositionOf({ medium, key }: FoundMedium): string {
  const kind = isInlineType(medium.type) ? 'inline' : 'attachment'
  return contentDisposition(kind, toDownloadName(medium.name, medium.type, key))
}

function cacheControl({ authorize }: Needs, { medium, key }: FoundMedium): string {
  return authorize || key === medium.tempKey ? PRIVATE : BRIEF
}

/**
 * A `Content-Disposition` header (RFC 6266): the name in ASCII for old clients, and in full (RFC
 * 8187).
 *
 * @param name the file's name; any text
 */
function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
