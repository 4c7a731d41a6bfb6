import type { IncomingMessage } from 'node:http'
import { type QuillgateError, serverError } from '../core/errors.ts'
import { toOrigin } from '../core/origin.ts'
import { sentPath } from '../http/sent-path.ts'
import type { Quillgate } from '../quillgate.ts'

/** Properties that frameworks on top of `node:http` add to its request. */
export interface HostRequest extends IncomingMessage {
  /** The URL before a router cut off the prefix under which it is mounted (Express, Connect). */
  readonly originalUrl?: string
  /** The body, as an earlier body parser has parsed it. */
  readonly body?: unknown
  /** The bytes that a body parser in front was told to keep. */
  readonly rawBody?: unknown
}

/**
 * The URL of a request as its socket and `Host` header have it, with the prefix of routers in
 * front.
 *
 * @throws QuillgateError 400 `malformed_request` when they make no URL
 */
export function requestUrl(req: HostRequest): URL {
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https:' : 'http:'
  const host = req.headers.host ?? req.headers[':authority'] ?? 'localhost'
  const origin = toOrigin(scheme, String(host))
  const target = pathOf(targetOf(req))
  if (origin === null || !target.startsWith('/') || !URL.canParse(origin + target))
    throw malformedRequest()
  return new URL(origin + target)
}

/**
 * Returns true if the path of a request belongs to a component and was sent in the spelling that
 * the component sees. Other spellings are not handled, because guards in front compare the path as
 * it was sent.
 *
 * @throws QuillgateError 400 `malformed_request` when the request has no URL
 */
export function isHandled(gate: Quillgate, req: HostRequest): boolean {
  const url = requestUrl(req)
  return sentPath(targetOf(req)) !== null && gate.handles(url)
}

/**
 * Creates the web request of a framework's request, with the given body and signal.
 *
 * @throws QuillgateError 400 `malformed_request` if it cannot be represented, for example for the
 * method TRACE
 */
export function toWebRequest(
  req: HostRequest,
  init: Pick<RequestInit, 'body' | 'signal'> = {},
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

/** The error for what is no request that we can represent. */
export function malformedRequest(cause?: unknown): QuillgateError {
  return serverError('malformed_request', 'The request line or its headers are malformed.', {
    cause,
  })
}

function targetOf({ originalUrl, url }: HostRequest): string {
  return originalUrl ?? url ?? '/'
}

/**
 * Proxies may send the absolute form (RFC 9112 §3.2.2). The host comes from the `Host` header
 * nevertheless.
 */
function pathOf(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target
  const url = new URL(target)
  return url.pathname + url.search
}

function headersOf({ rawHeaders }: HostRequest): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!name.startsWith(':')) headers.append(name, value) // HTTP/2 has `:path` and the like among them.
  }
  return headers
}
