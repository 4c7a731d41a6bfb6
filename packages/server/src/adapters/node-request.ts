import type { IncomingMessage } from 'node:http'
import { type QuillgateError, serverError } from '../core/errors.ts'
import { toOrigin } from '../core/origin.ts'
import { sentPath } from '../http/sent-path.ts'
import type { Quillgate } from '../quillgate.ts'

/** A request of `node:http` with the properties that frameworks add. */
export interface HostRequest extends IncomingMessage {
  /** The URL before a router removed its mount prefix (Express, Connect). */
  readonly originalUrl?: string
  /** The result of an earlier body parser. */
  readonly body?: unknown
  /** The bytes of the body, if an earlier body parser keeps them. */
  readonly rawBody?: unknown
}

/** Returns the URL, including mount prefixes. @throws QuillgateError 400 `malformed_request` */
function requestUrl(req: HostRequest): URL {
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https:' : 'http:'
  const host = req.headers.host ?? req.headers[':authority'] ?? 'localhost'
  const origin = toOrigin(scheme, String(host))
  const target = pathOf(targetOf(req))
  const url = origin !== null && target.startsWith('/') ? URL.parse(origin + target) : null
  if (!url) throw malformedRequest()
  return url
}

/**
 * Returns true if a component answers the path. Returns false for a path such as `/./media`, which
 * URL parsing changes. A proxy checks the original path, so the new path could bypass its rules.
 *
 * @throws QuillgateError 400 `malformed_request`
 */
export function isHandled(gate: Quillgate, req: HostRequest): boolean {
  const url = requestUrl(req)
  return sentPath(targetOf(req)) !== null && gate.handles(url)
}

/** Converts a request. @throws QuillgateError 400 `malformed_request`, for example for TRACE */
export function toWebRequest(
  req: HostRequest,
  init: Pick<RequestInit, 'body' | 'signal'>,
): Request {
  const url = requestUrl(req)
  try {
    return new Request(url, {
      ...init,
      method: req.method ?? 'GET',
      headers: headersOf(req),
      duplex: 'half',
    })
  } catch (error) {
    throw malformedRequest(error)
  }
}

/** Creates the error for a request that cannot be converted to a web request. */
export function malformedRequest(cause?: unknown): QuillgateError {
  return serverError('malformed_request', 'The request line or its headers are malformed.', {
    cause,
  })
}

function targetOf({ originalUrl, url }: HostRequest): string {
  return originalUrl ?? url ?? '/'
}

// Removes scheme and host from a target in absolute form (RFC 9112 §3.2.2), which some proxies
// send. The `Host` header contains the host too.
function pathOf(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target
  const url = new URL(target)
  return url.pathname + url.search
}

function headersOf({ rawHeaders }: HostRequest): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    // Skips the pseudo-headers of HTTP/2, such as `:path`.
    if (!name.startsWith(':')) headers.append(name, value)
  }
  return headers
}
