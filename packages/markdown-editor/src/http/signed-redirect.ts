import { storageFailed } from '@quillgate/storage'
import type { RouteDependencies } from './dependencies.ts'
import type { FoundMedium } from './find-medium.ts'
import { dispositionOf, isPlayed, PRIVATE } from './media-headers.ts'

/** Seconds for which the storage's URL of a file works. */
const LIFE = 300
/**
 * Seconds, for sound and films: players ask for further parts of the same URL as long as one
 * listens or watches.
 */
const PLAYING_LIFE = 3 * 3600
/** Seconds for which a browser may take the same way again; shorter than the URL lives. */
const CACHED = 240

/**
 * Sends a browser to the storage itself, by a URL that is signed for this file and works for a
 * short time.
 */
export async function signedRedirect(
  { storage, authorize }: Pick<RouteDependencies, 'storage' | 'authorize'>,
  found: FoundMedium,
): Promise<Response> {
  const location = await storage.signedUrl?.(found.key, {
    expiresIn: isPlayed(found) ? PLAYING_LIFE : LIFE,
    type: found.medium.type,
    disposition: dispositionOf(found),
  })
  if (location === undefined) throw storageFailed(new Error('The storage signs no URLs'))
  // The URL gives access to the file, so shared caches and referrers must not pass it on.
  const headers = {
    location,
    'cache-control': authorize ? PRIVATE : `private, max-age=${CACHED}`,
    'cross-origin-resource-policy': authorize ? 'same-site' : 'cross-origin',
    'referrer-policy': 'no-referrer',
  }
  return new Response(null, { status: 302, headers })
}
