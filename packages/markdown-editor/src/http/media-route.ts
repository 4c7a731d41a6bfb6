import { notFound, type QuillgateError, type RequestContext } from '@quillgate/http'
import type { Medium } from '../media/medium.ts'
import { toDownloadName } from '../media/upload/file-name.ts'
import { isInlineType, isTextType } from '../media/upload/media-types.ts'
import type { ByteRange } from '../storage/storage.ts'
import { parseByteRange } from './byte-range.ts'
import { contentDisposition } from './content-disposition.ts'
import type { RouteDependencies } from './dependencies.ts'
import { matchesEntityTag } from './entity-tag.ts'

/** A file that may be shown now, and where its bytes are. */
interface Found {
  readonly medium: Medium
  readonly key: string
  readonly size: number
}

const PRIVATE = 'private, no-store'

/**
 * Nothing in the file may act, should a browser ever take it for a page. A page that a browser makes itself around a
 * picture or a film may load just that.
 */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

/** `GET <mediaUrl>…`: the bytes of a temporary or permanent file. */
export function createMediaRoute(deps: RouteDependencies): (context: RequestContext) => Promise<Response> {
  return async (context) => {
    const { pathname } = new URL(context.request.url)
    // Twice: when its bytes have just moved away, the ledger knows by now where to.
    for (let attempt = 0; attempt < 2; attempt++) {
      const found = await find(deps, context, pathname)
      const answer = found instanceof Response ? found : await serve(deps, context.request, found)
      if (answer) return answer
    }
    deps.onUnexpected?.(new Error(`The bytes behind ${pathname} are missing in the storage`))
    throw noSuchFile()
  }
}

/** Finds what a path names, if it may be seen: a file, or the redirect from its temporary to its permanent URL. */
async function find(deps: RouteDependencies, context: RequestContext, pathname: string): Promise<Found | Response> {
  const url = deps.urls.parse(pathname)
  const medium = url && (await deps.ledger.get(url.id))
  if (!url || !medium || !(await isAuthorized(deps, context, medium))) throw noSuchFile()
  const { key, tempKey, size, state } = medium
  const path = url.path.normalize('NFC')
  if (size === null) throw noSuchFile()
  const isTemporary = state === 'temporary' || state === 'promoting'
  if (isTemporary && path === tempKey) return { medium, key: tempKey, size }
  if (state !== 'permanent' || key === null) throw noSuchFile()
  if (path === key) return { medium, key, size }
  if (path === tempKey) return redirect(deps.urls.build(key))
  throw noSuchFile()
}

async function isAuthorized(deps: RouteDependencies, context: RequestContext, medium: Medium): Promise<boolean> {
  if (!deps.authorize) return true
  return deps.authorize((await deps.authenticate(context)) ?? null, medium)
}

/** Answers with the file; null when its bytes are not there. */
async function serve(deps: RouteDependencies, request: Request, found: Found): Promise<Response | null> {
  const { medium, key, size } = found
  const headers = headersOf(deps, found)
  const tag = headers.get('etag')
  if (tag && matchesEntityTag(request.headers.get('if-none-match'), tag))
    return new Response(null, { status: 304, headers })
  const range = rangeOf(request, size, tag)
  setLength(headers, range, size)
  headers.set('content-type', isTextType(medium.type) ? `${medium.type}; charset=utf-8` : medium.type)
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    return (await deps.storage.stat(key)) ? new Response(null, { status, headers }) : null
  }
  const stored = await deps.storage.read(key, range ?? undefined)
  return stored && new Response(stored.body, { status, headers })
}

function headersOf(deps: RouteDependencies, { medium, key }: Found): Headers {
  const headers = new Headers({
    'cache-control': deps.authorize || key === medium.tempKey ? PRIVATE : 'max-age=300',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'content-disposition': contentDisposition(
      isInlineType(medium.type) ? 'inline' : 'attachment',
      toDownloadName(medium.name, medium.type, key),
    ),
  })
  if (medium.checksum) headers.set('etag', `"${medium.checksum}"`)
  return headers
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

function noSuchFile(): QuillgateError {
  return notFound('There is no such file, or not any more.')
}
