import type { Medium } from '../media/ledger/medium.ts'
import { toDownloadName } from '../media/upload/file-name.ts'
import { isInlineType } from '../types/media-types.ts'
import type { FoundMedium } from './find-medium.ts'

/** The `Cache-Control` of files with restricted access, and of temporary files. */
export const PRIVATE = 'private, no-store'
/** The `Cache-Control` of other files. Browsers request a file again after five minutes. */
const BRIEF = 'max-age=300'
/**
 * The `Content-Security-Policy` of a file that a browser opens as a page. It blocks scripts. It
 * allows images and media of this origin, because a browser shows a picture or video inside a page.
 */
const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
/** The policy for audio and video. A sandboxed page needs its real origin to load the file. */
const PLAYER_POLICY = `${POLICY} allow-same-origin`

/** Returns the headers of a file that do not depend on the requested range. */
export function mediaHeaders(found: FoundMedium): Headers {
  const { isRestricted, isTemporary, medium } = found
  return new Headers({
    'cache-control': isRestricted || isTemporary ? PRIVATE : BRIEF,
    'content-security-policy': isPlayed(medium) ? PLAYER_POLICY : POLICY,
    // Any page can embed a public file, including a cross-origin isolated page.
    'cross-origin-resource-policy': isRestricted ? 'same-site' : 'cross-origin',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'content-disposition': dispositionOf(found),
    ...(medium.checksum ? { etag: `"${medium.checksum}"` } : {}),
  })
}

/** Returns true if a file is audio or video. */
export function isPlayed({ type }: Medium): boolean {
  return /^(?:audio|video)\//.test(type)
}

/** Returns the `Content-Disposition` (RFC 6266), with the name in ASCII and in UTF-8 (RFC 8187). */
export function dispositionOf({ medium, key }: FoundMedium): string {
  const name = toDownloadName(medium.name, medium.type, key)
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const kind = isInlineType(medium.type) ? 'inline' : 'attachment'
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
