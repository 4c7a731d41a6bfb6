import { type Endpoint, PUBLIC, type RequestContext } from '@quillgate/server/http'
import type { ByteRange, StoredBody } from '@quillgate/storage'
import { editorError } from '../errors.ts'
import { parseByteRange } from './byte-range.ts'
import { defineEndpoint } from './define-endpoint.ts'
import type { RouteDependencies } from './dependencies.ts'
import { type FoundMedium, findMedium, noSuchFile } from './find-medium.ts'
import { mediaHeaders, PRIVATE } from './media-headers.ts'
import { signedRedirect } from './signed-redirect.ts'

/** `GET <mediaUrl>…`: the bytes of a temporary or permanent file. */
export function mediaEndpoint(deps: RouteDependencies): Endpoint {
  return defineEndpoint({
    id: 'getMedia',
    method: 'GET',
    path: `${deps.settings.mediaUrl}*`,
    summary: 'Read a file',
    access: PUBLIC, // The application's `authorize` decides, and answers 404.
    answers: {
      200: { description: 'The file', contentType: '*/*' },
      206: { description: 'A range of the file', contentType: '*/*' },
      302: { description: 'The file has another address' },
      304: { description: 'The client has the file already' },
    },
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable', 'storage_failed'],
    handle: ({ context }) => answer(deps, context),
  })
}

async function answer(deps: RouteDependencies, context: RequestContext): Promise<Response> {
  const { pathname } = new URL(context.request.url)
  // If bytes were moved after the lookup, the second lookup returns their new key.
  for (let attempt = 0; attempt < 2; attempt++) {
    const found = await findMedium(deps, context, pathname)
    const response =
      'movedTo' in found
        ? redirect(deps.urls.build(found.movedTo))
        : await serve(deps, context.request, found)
    if (response) return response
  }
  deps.onUnexpected?.(new Error(`The bytes of ${pathname} are missing or damaged in the storage`))
  throw noSuchFile()
}

/** Answers with the file, or sends to it; null when its bytes are not there. */
async function serve(
  deps: RouteDependencies,
  request: Request,
  found: FoundMedium,
): Promise<Response | null> {
  const headers = mediaHeaders(deps, found)
  const tag = headers.get('etag')
  if (tag && isKnown(request, tag)) return new Response(null, { status: 304, headers })
  // Temporary files are always streamed, because they move when a text is saved.
  const isTemporary = found.key === found.medium.tempKey
  if (deps.delivery === 'redirect' && request.method === 'GET' && !isTemporary)
    return signedRedirect(deps, found)
  const range = rangeOf(request, found.size, tag)
  setLength(headers, range, found.size)
  // Without a charset: texts are stored as they were written.
  headers.set('content-type', found.medium.type)
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    const isWhole = (await deps.storage.stat(found.key))?.size === found.size
    return isWhole ? new Response(null, { status, headers }) : null
  }
  const stored = await open(deps, found, range)
  return stored && new Response(stored.body, { status, headers })
}

/** Opens the bytes; null when they are not there, or not as many as they were. */
async function open(
  { storage }: Pick<RouteDependencies, 'storage'>,
  { key, size }: FoundMedium,
  range: ByteRange | null,
): Promise<StoredBody | null> {
  const stored = await storage.read(key, range ?? undefined)
  if (!stored || stored.size === size) return stored
  await stored.body.cancel()
  return null
}

/**
 * True when the client has the file already (RFC 9110, 13.2.2). There is no `Last-Modified`, so
 * conditions on times do not count.
 *
 * @throws QuillgateError 412 `precondition_failed`
 */
function isKnown({ headers }: Request, tag: string): boolean {
  const condition = headers.get('if-match')
  if (condition !== null && !matchesEntityTagStrongly(condition, tag)) {
    throw editorError(
      'precondition_failed',
      'The file is not the one that if-match names. Load it again.',
    )
  }
  return matchesEntityTag(headers.get('if-none-match'), tag)
}

/** A range counts only for the file that the client began with (`If-Range`), and only in a GET. */
function rangeOf(request: Request, size: number, tag: string | null): ByteRange | null {
  const condition = request.headers.get('if-range')
  if (request.method !== 'GET' || (condition !== null && condition !== tag)) return null
  return parseByteRange(request.headers.get('range'), size)
}

function setLength(headers: Headers, range: ByteRange | null, size: number): void {
  headers.set('content-length', String(range ? range.end - range.start + 1 : size))
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${size}`)
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location, 'cache-control': PRIVATE } })
}

/**
 * True when an `If-None-Match` header names this entity tag, by weak comparison (RFC 9110, 13.1.2).
 */
function matchesEntityTag(header: string | null, tag: string): boolean {
  return isNamed(header, tag, /(?:W\/)?("[^"]*")/g)
}

/**
 * True when an `If-Match` header names this entity tag, by strong comparison (RFC 9110, 13.1.1).
 */
function matchesEntityTagStrongly(header: string | null, tag: string): boolean {
  return isNamed(header, tag, /W\/"[^"]*"|("[^"]*")/g)
}

function isNamed(header: string | null, tag: string, pattern: RegExp): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return [...header.matchAll(pattern)].some(([, candidate]) => candidate === tag)
}
