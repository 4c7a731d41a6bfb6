import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { bodyOf, mediaType } from './body.ts'
import { isQuillgateError, QuillgateError } from './errors.ts'

/** Bounds of {@link readMultipart}. */
export interface MultipartLimits {
  /** Largest file, in bytes. */
  readonly maxFileSize: number
  /** Most files in one request. @default 10 */
  readonly maxFiles?: number
  /** Most other fields in one request. @default 20 */
  readonly maxFields?: number
  /** Largest value of a field, in bytes. @default 65536 */
  readonly maxFieldSize?: number
}

/** One part of a form, in the order in which the client sent them. */
export type MultipartPart = MultipartField | MultipartFile

/** A field that is no file. */
export interface MultipartField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file. */
export interface MultipartFile {
  readonly kind: 'file'
  readonly name: string
  /** What the client calls it: hostile text in UTF-8, without directories; empty when there is none. */
  readonly filename: string
  /** What the client says that it is, lower case, without parameters: hostile as well. */
  readonly type: string
  /** The bytes, read from the network as fast as they are taken from here, once. */
  readonly body: AsyncIterable<Uint8Array>
}

const MAX_HEADERS = 32
const MAX_HEADER_BYTES = 16 * 1024
// Room for what surrounds one part: its headers and its boundary.
const MAX_OVERHEAD = MAX_HEADER_BYTES + 1024

/**
 * Reads a `multipart/form-data` body (RFC 7578) part by part. Nothing is gathered in memory but fields: a file's bytes
 * come through `body`, and the client is held back while nobody reads them. What is not read of a file when the
 * next part is asked for is skipped. Leaving the loop stops reading the request.
 *
 * A file is known to be whole only when its `body` ended, and the form only when the loop ended: keep nothing before.
 *
 * @throws QuillgateError from the loop, or from a file's `body`: 415 `unsupported_media_type` when the request is no
 * form of this type, 400 `malformed_multipart` (also a body that ends early or whose client went away), 413
 * `file_too_large` with the first byte over the limit, 413 `field_too_large`, `too_many_parts` and `body_too_large`
 *
 * @example
 * for await (const part of readMultipart(request, { maxFileSize: 10_000_000 })) {
 *   if (part.kind === 'file') await storage.write(key, part.body)
 * }
 */
export async function* readMultipart(request: Request, limits: MultipartLimits): AsyncGenerator<MultipartPart> {
  const bounds = { maxFiles: 10, maxFields: 20, maxFieldSize: 65_536, ...limits }
  const parser = createParser(request.headers.get('content-type'), bounds)
  const source = Readable.fromWeb(bodyOf(request) as NodeReadableStream<Uint8Array>)
  const stop = new AbortController()
  const parts = collectParts(parser, bounds, stop)
  pipeline(source, (chunks) => bounded(chunks, bounds), parser, { signal: stop.signal }).then(parts.end, parts.fail)
  try {
    for (let part = await parts.next(); part !== null; part = await parts.next()) yield part
  } finally {
    stop.abort()
  }
}

function createParser(contentType: string | null, limits: Required<MultipartLimits>): BusboyInstance {
  if (contentType === null || mediaType(contentType) !== 'multipart/form-data') {
    throw new QuillgateError('unsupported_media_type', 415, 'Send the form as multipart/form-data.')
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fileSize: limits.maxFileSize,
        files: limits.maxFiles,
        fields: limits.maxFields,
        fieldSize: limits.maxFieldSize,
        parts: limits.maxFiles + limits.maxFields,
        headerPairs: MAX_HEADERS,
        headerSize: MAX_HEADER_BYTES,
      },
    })
  } catch (error) {
    throw toMultipartError(error) // There is no boundary.
  }
}

/** The parts found so far. In number they are never more than one chunk of the body holds. */
interface Parts {
  /** The next part, once the file before is read or skipped; null after the last. */
  next(): Promise<MultipartPart | null>
  end(): void
  fail(error: unknown): void
}

function collectParts(parser: BusboyInstance, limits: Required<MultipartLimits>, stop: AbortController): Parts {
  const found: FoundPart[] = []
  const files = new Set<BusboyFileStream>()
  let current: BusboyFileStream | undefined
  let failure: QuillgateError | undefined
  let ended = false
  let wake = (): void => {}

  const fail = (error: unknown): void => {
    failure ??= toMultipartError(error)
    stop.abort()
    for (const file of files) file.destroy(failure)
    wake()
  }
  const add = (part: FoundPart): void => {
    found.push(part)
    wake()
  }
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'])
    parser.on(limit, () => fail(new QuillgateError('too_many_parts', 413, 'The form has too many parts.')))
  parser.on('field', (name, value, _nameTruncated, truncated) => {
    if (truncated)
      fail(new QuillgateError('field_too_large', 413, `A field is larger than ${limits.maxFieldSize} bytes.`))
    else if (name === undefined) fail(new Error('A part has no name.'))
    else add({ part: { kind: 'field', name, value } })
  })
  parser.on('file', (name, file, filename, _encoding, type) => {
    files.add(file)
    file
      .on('error', fail)
      .on('end', () => wake())
      .on('close', () => files.delete(file))
    // busboy cuts a file at the limit and says no more than this.
    file.on('limit', () =>
      fail(new QuillgateError('file_too_large', 413, `A file is larger than ${limits.maxFileSize} bytes.`)),
    )
    if (name === undefined) fail(new Error('A part has no name.'))
    else add({ part: { kind: 'file', name, filename: filename ?? '', type, body: bytesOf(file) }, file })
  })

  return {
    async next() {
      for (;;) {
        const busy = current !== undefined && !current.readableEnded
        const item = busy ? undefined : found.shift()
        current = item ? item.file : current
        if (item) return item.part
        if (failure) throw failure
        if (ended && !busy) return null
        if (busy) current?.resume()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    end() {
      ended = true
      wake()
    },
    fail,
  }
}

interface FoundPart {
  readonly part: MultipartPart
  readonly file?: BusboyFileStream
}

async function* bytesOf(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* file.iterator({ destroyOnReturn: false })
  } catch (error) {
    throw toMultipartError(error)
  }
}

/** Ends a body whose preamble, epilogue or skipped parts never end. */
async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  limits: Required<MultipartLimits>,
): AsyncGenerator<Uint8Array> {
  const { maxFiles, maxFileSize, maxFields, maxFieldSize } = limits
  let left = maxFiles * (maxFileSize + MAX_OVERHEAD) + maxFields * (maxFieldSize + MAX_OVERHEAD)
  for await (const chunk of chunks) {
    left -= chunk.byteLength
    if (left < 0) throw new QuillgateError('body_too_large', 413, 'The form is larger than all that it may hold.')
    yield chunk
  }
}

function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return new QuillgateError('malformed_multipart', 400, 'The form is malformed, or it ended early.', { cause: error })
}
