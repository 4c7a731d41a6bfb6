import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { bodyAlreadyRead, isJsonType, mediaType } from '../http/body.ts'
import { setBodySource } from '../http/body-source.ts'
import { ChunkReader } from '../http/chunk-reader.ts'
import type { HostRequest } from './node-request.ts'

/** The types of bodies that adapters pass to `new Request(…)`. */
export type WebBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null

/** The maximum time in milliseconds to receive the rest of a body after the response. */
const LINGER_MS = 30_000

/**
 * Returns the body of a request, or null for GET, HEAD and requests without a body. If a parser has
 * already read the body, restores the body from `rawBody` or from the parsed value. If neither is
 * sufficient, returns a stream that fails with `body_already_read`.
 */
export function bodyOfHost(req: HostRequest, res: ServerResponse): WebBody {
  if (req.method === 'GET' || req.method === 'HEAD' || !declaresBody(req)) return null
  return req.readableDidRead ? rebuilt(req) : streamed(req, res)
}

/**
 * Returns the body for methods such as `readForm`, which the application calls in its own routes.
 * The stream starts to read the request only when it is read itself. A body parser of the
 * application may run before.
 */
export function laterBodyOfHost(req: HostRequest, res: ServerResponse): WebBody {
  if (req.method === 'GET' || req.method === 'HEAD' || !declaresBody(req)) return null
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield* new Response(bodyOfHost(req, res)).body ?? []
  }
  return ReadableStream.from(read())
}

function declaresBody(req: HostRequest): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers
  return req.httpVersionMajor > 1 || encoding !== undefined || Number(length ?? 0) > 0
}

function rebuilt(req: HostRequest): WebBody {
  const bytes = Buffer.isBuffer(req.rawBody) ? req.rawBody : req.body
  if (Buffer.isBuffer(bytes)) return new Uint8Array(bytes)
  const type = req.headers['content-type'] ?? null
  // A string is ambiguous: it can be the text of the body or a parsed JSON string.
  if (isJsonType(type) && req.body !== undefined && typeof req.body !== 'string')
    return JSON.stringify(req.body)
  const form = mediaType(type) === 'application/x-www-form-urlencoded' ? toForm(req.body) : null
  return form?.toString() ?? failing()
}

// Returns null unless all values are strings or arrays of strings. The text of others is unknown.
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

function failing(): ReadableStream<Uint8Array> {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
    controller.error(bodyAlreadyRead())
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

// Returns a stream of the body. Cancelling the stream does not close the connection, because the
// response still needs the connection.
function streamed(req: HostRequest, res: ServerResponse): ReadableStream<Uint8Array> {
  const chunks = new ChunkReader(req)
  res.once('close', () => discardRest(req, chunks))
  return setBodySource(ReadableStream.from(chunks), chunks)
}

// Receives and discards the rest of a body. Many clients read the response only after they have
// sent the whole body. If the connection closed earlier, these clients would get no response.
function discardRest(req: HostRequest, chunks: ChunkReader): void {
  if (req.readableEnded || req.destroyed) return
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref()
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  void chunks.return()
  req.resume()
}
