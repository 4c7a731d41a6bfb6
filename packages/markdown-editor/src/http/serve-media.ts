import { type Endpoint, PUBLIC } from '@quillgate/server/http'
import { type ByteRange, type Storage, type StoredBody, storageFailed } from '@quillgate/storage'
import { logUnexpected } from '../errors.ts'
import type { MediaServices } from '../media/services.ts'
import type { EditorConfiguration } from '../options.ts'
import { defineEndpoint, type EditorAccess } from './access.ts'
import { isKnown, rangeOf } from './conditions.ts'
import { type FoundMedium, findMedium, noSuchFile } from './find-medium.ts'
import { dispositionOf, isPlayed, mediaHeaders, PRIVATE } from './media-headers.ts'

/** The time in seconds for which a signed URL is valid. */
const URL_LIFETIME = 300
/** The time in seconds for audio and video. It is longer, because players request ranges later. */
const PLAYING_LIFETIME = 3 * 3600
/** The time in seconds for which browsers cache a redirect. Its URL is valid for longer. */
const REDIRECT_MAX_AGE = 240

/** Defines `GET <mediaUrl>…`, which returns the bytes of a temporary or permanent file. */
export function mediaEndpoint(
  access: EditorAccess,
  media: MediaServices,
  delivery: EditorConfiguration['delivery'],
): Endpoint {
  return defineEndpoint({
    id: 'getMedia',
    method: 'GET',
    path: `${media.settings.mediaUrl}*`,
    summary: 'Read a file',
    access: PUBLIC, // `findMedium` applies the option `authorize`.
    answers: {
      200: { description: 'The file', contentType: '*/*' },
      206: { description: 'A range of the file', contentType: '*/*' },
      302: { description: 'The file has another address' },
      304: { description: 'The client already has the file' },
    },
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable', 'storage_failed'],
    async handle({ context }) {
      const { pathname } = new URL(context.request.url)
      // The file can become permanent after the first lookup. The second lookup then finds its new
      // key.
      for (let attempt = 0; attempt < 2; attempt++) {
        const found = await findMedium(access, media, context, pathname)
        if ('movedTo' in found) return redirect(media.urls.build(found.movedTo))
        const response = await serve(media.storage, delivery, context.request, found)
        if (response) return response
      }
      const problem = `The bytes of ${pathname} are missing or damaged in the storage`
      logUnexpected(media.logger, new Error(problem))
      throw noSuchFile()
    },
  })
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location, 'cache-control': PRIVATE } })
}

/** Null means that the bytes are missing or damaged. */
async function serve(
  storage: Storage,
  delivery: EditorConfiguration['delivery'],
  request: Request,
  found: FoundMedium,
): Promise<Response | null> {
  const { key, medium, size, isTemporary } = found
  const headers = mediaHeaders(found)
  const tag = headers.get('etag')
  if (tag && isKnown(request, tag)) return new Response(null, { status: 304, headers })
  // Temporary files are always streamed, because their bytes move when a text is finalized.
  if (delivery === 'redirect' && request.method === 'GET' && !isTemporary)
    return signedRedirect(storage, found)
  const range = rangeOf(request, size, tag)
  headers.set('content-length', String(range ? range.end - range.start + 1 : size))
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${size}`)
  // Does not add a charset, because the encoding of uploaded texts is not known.
  headers.set('content-type', medium.type)
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    const isWhole = (await storage.stat(key))?.size === size
    return isWhole ? new Response(null, { status, headers }) : null
  }
  const stored = await open(storage, found, range)
  return stored && new Response(stored.body, { status, headers })
}

/** Null means that the bytes are missing or have a wrong length. */
async function open(
  storage: Storage,
  { key, size }: FoundMedium,
  range: ByteRange | null,
): Promise<StoredBody | null> {
  const stored = await storage.read(key, range ?? undefined)
  if (!stored || stored.size === size) return stored
  await stored.body.cancel()
  return null
}

async function signedRedirect(storage: Storage, found: FoundMedium): Promise<Response> {
  const { isRestricted } = found
  const location = await storage.signedUrl?.(found.key, {
    expiresIn: isPlayed(found.medium) ? PLAYING_LIFETIME : URL_LIFETIME,
    type: found.medium.type,
    disposition: dispositionOf(found),
  })
  if (location === undefined) throw storageFailed(new Error('The storage cannot sign URLs'))
  // The URL gives access to the file. So shared caches must not store it, and pages must not send
  // it as a referrer.
  const headers = {
    location,
    'cache-control': isRestricted ? PRIVATE : `private, max-age=${REDIRECT_MAX_AGE}`,
    'cross-origin-resource-policy': isRestricted ? 'same-site' : 'cross-origin',
    'referrer-policy': 'no-referrer',
  }
  return new Response(null, { status: 302, headers })
}
