import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { bodyAlreadyRead, isJsonType, mediaType } from '../http/body.ts'
import { ChunkReader } from '../http/chunk-reader.ts'
import type { HostRequest } from './node-request.ts'

/** The types of bodies that adapters pass to `new Request(…)`. */
export type WebBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null

/** Milliseconds for which the rest of an unread body is received after the answer, as in nginx. */
const LINGER_MS = 30_000

/**
 * Returns the body of a request, or null if it has none. The stream reads from the socket. If a
 * body parser has read the body, restores it from the parsed value. If that is not possible,
 * returns a stream that fails with `body_already_read`.
 */
export function bodyOfHost(req: HostRequest, res: ServerResponse): WebBody {
  if (req.method === 'GET' || req.method === 'HEAD' || !declaresBody(req)) return null
  return req.readableDidRead ? rebuilt(req) : streamed(req, res)
}

/**
 * Returns the body for methods that the application calls in its own routes, such as `readForm`.
 * Nothing is read from the socket before that call, so that a parser of the framework can read it.
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

// Returns null for a value that is not text, because the parser has not kept its original form.
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

// Cancelling the stream keeps the connection open, because the answer is sent over it.
function streamed(req: HostRequest, res: ServerResponse): ReadableStream<Uint8Array> {
  const chunks = new ChunkReader(req)
  res.once('close', () => discardRest(req, chunks))
  return ReadableStream.from(chunks)
}

// Many clients read the answer only after they have sent everything. If the connection were closed
// earlier, they would not get the answer.
function discardRest(req: HostRequest, chunks: ChunkReader): void {
  if (req.readableEnded || req.destroyed) return
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref()
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  void chunks.return()
  req.resume()
}
