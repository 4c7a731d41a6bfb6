import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import { bodyAlreadyRead, isJsonType, mediaType } from '../http/body.ts'
import { ChunkReader } from '../http/chunk-reader.ts'
import type { HostRequest } from './node-request.ts'

/** The bodies of `new Request(…)` that adapters create. */
export type WebBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null

/**
 * How long an unread body is still received, so that its sender reads the answer. nginx uses the
 * same time.
 */
const LINGER_MS = 30_000

/**
 * The body of a request: null without one, a stream of what the socket brings, or what a parser in
 * front has made of it, turned back into bytes. Where that cannot be done it is a stream that fails
 * with `body_already_read` when, and only when, it is read.
 */
export function bodyOfHost(req: HostRequest, res: ServerResponse): WebBody {
  if (req.method === 'GET' || req.method === 'HEAD' || !declaresBody(req)) return null
  return req.readableDidRead ? rebuilt(req) : streamed(req, res)
}

/**
 * The body of a request for calls of the application. Nothing is read before the first call reads
 * it, so that a parser of the framework can read it instead.
 */
export function laterBodyOfHost(req: HostRequest, res: ServerResponse): WebBody {
  if (req.method === 'GET' || req.method === 'HEAD' || !declaresBody(req)) return null
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= new Response(bodyOfHost(req, res)).body?.getReader()
        const chunk = await reader?.read()
        if (chunk?.value) controller.enqueue(chunk.value)
        else controller.close()
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function declaresBody(req: HostRequest): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = req.headers
  return req.httpVersionMajor > 1 || encoding !== undefined || Number(length ?? 0) > 0
}

function rebuilt(req: HostRequest): WebBody {
  const bytes = Buffer.isBuffer(req.rawBody) ? req.rawBody : req.body
  if (Buffer.isBuffer(bytes)) return new Uint8Array(bytes)
  const type = req.headers['content-type'] ?? null
  // A string can be the text of the body or a parsed JSON string. They look the same.
  if (isJsonType(type) && req.body !== undefined && typeof req.body !== 'string')
    return JSON.stringify(req.body)
  const form = mediaType(type) === 'application/x-www-form-urlencoded' ? toForm(req.body) : null
  return form?.toString() ?? failing()
}

/**
 * Null for values that only some parsers write, such as nested objects: the client's spelling of
 * them is lost.
 */
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

/**
 * Reads from the socket only what is asked for. Cancelling it does not end the connection, over
 * which the answer goes.
 */
function streamed(req: HostRequest, res: ServerResponse): ReadableStream<Uint8Array> {
  const chunks = new ChunkReader(req)
  res.once('close', () => discardRest(req, chunks))
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void chunks.return(),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Reads and discards what the client still sends after the answer. Most clients read the answer
 * only after they have sent everything, so closing the connection would lose it.
 */
function discardRest(req: HostRequest, chunks: ChunkReader): void {
  if (req.readableEnded || req.destroyed) return
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref()
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  void chunks.return()
  req.resume()
}
