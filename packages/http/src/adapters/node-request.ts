import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { bodyAlreadyRead, isJsonType, mediaType } from '../body.ts'
import { QuillgateError } from '../errors.ts'
import { toOrigin } from '../origin.ts'

/** What frameworks on top of `node:http` add to its request. */
export interface HostRequest extends IncomingMessage {
  /** The URL before a router cut off the prefix under which it is mounted (Express, Connect). */
  readonly originalUrl?: string
  /** What a body parser in front made of the body. */
  readonly body?: unknown
  /** The bytes that a body parser in front was told to keep. */
  readonly rawBody?: unknown
}

/** Body and signal of a {@link toWebRequest}. */
export interface WebRequestInit {
  readonly body?: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null
  readonly signal?: AbortSignal
}

/**
 * The URL of a request as its socket and `Host` header have it, with the prefix of routers in front.
 *
 * @throws QuillgateError 400 `malformed_request` when they make no URL
 */
export function requestUrl(req: HostRequest): URL {
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https:' : 'http:'
  const host = req.headers.host ?? req.headers[':authority'] ?? 'localhost'
  const origin = toOrigin(scheme, String(host))
  const target = pathOf(req.originalUrl ?? req.url ?? '/')
  if (origin === null || !target.startsWith('/') || !URL.canParse(origin + target)) throw malformedRequest()
  return new URL(origin + target)
}

/**
 * Makes the web request of a framework's request.
 *
 * @throws QuillgateError 400 `malformed_request` when there is none, for example for the method TRACE
 */
export function toWebRequest(req: HostRequest, init: WebRequestInit = {}): Request {
  const url = requestUrl(req)
  try {
    return new Request(url, { ...init, method: req.method ?? 'GET', headers: headersOf(req), duplex: 'half' })
  } catch (error) {
    throw malformedRequest(error)
  }
}

/**
 * The body that a parser in front has read, made again from what it left; undefined when nobody has read it yet.
 * Where that is not possible it is a stream that fails with `body_already_read` when, and only when, it is read.
 */
export function rebuiltBody(req: HostRequest): WebRequestInit['body'] | undefined {
  if (!req.readableDidRead || !hasBody(req)) return undefined
  if (Buffer.isBuffer(req.rawBody)) return new Uint8Array(req.rawBody)
  if (Buffer.isBuffer(req.body)) return new Uint8Array(req.body)
  const type = req.headers['content-type'] ?? null
  // A string may be the text of the body or a JSON string: nobody can tell.
  if (isJsonType(type) && req.body !== undefined && typeof req.body !== 'string') return JSON.stringify(req.body)
  const form = mediaType(type) === 'application/x-www-form-urlencoded' ? toForm(req.body) : null
  return form?.toString() ?? failingBody()
}

/** The error for what is no request that we can represent. */
export function malformedRequest(cause?: unknown): QuillgateError {
  return new QuillgateError('malformed_request', 400, 'The request line or its headers are malformed.', { cause })
}

/** Proxies may send the absolute form (RFC 9112 §3.2.2); the host is the `Host` header's all the same. */
function pathOf(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target
  const url = new URL(target)
  return url.pathname + url.search
}

function headersOf(req: HostRequest): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(req.headersDistinct)) {
    if (name.startsWith(':')) continue // HTTP/2
    for (const value of values ?? []) headers.append(name, value)
  }
  return headers
}

function hasBody(req: HostRequest): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

/** Null for values that only some parsers write, such as nested objects: the client's spelling is lost. */
function toForm(body: unknown): URLSearchParams | null {
  if (typeof body !== 'object' || body === null) return null
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one !== 'string') return null
      form.append(name, one)
    }
  }
  return form
}

function failingBody(): ReadableStream<Uint8Array> {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => controller.error(bodyAlreadyRead())
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}
