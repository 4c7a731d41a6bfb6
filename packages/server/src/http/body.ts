import { Buffer } from 'node:buffer'
import {
  invalidRequest,
  isQuillgateError,
  type QuillgateError,
  serverError,
} from '../core/errors.ts'

/** Options of {@link readJson}. */
export interface ReadJsonOptions {
  /** The maximum size of the body in bytes. */
  readonly maxBytes: number
  /** Creates the error for a larger body. @default 413 `body_too_large` */
  readonly tooLarge?: (maxBytes: number) => QuillgateError
}

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json$/i

/**
 * Reads a JSON body of limited size and complexity: at most 16 levels of nesting, and at most 1,000
 * brackets, commas and colons outside of strings.
 *
 * @throws QuillgateError 415 `unsupported_media_type` if the body is not declared as JSON in UTF-8;
 * 413 `body_too_large`; 400 `invalid_request` if the body is too complex; 400 `malformed_json`; 500
 * `body_already_read`
 * @example
 * const body = await readJson(request, { maxBytes: 16_384 })
 */
export async function readJson(request: Request, options: ReadJsonOptions): Promise<unknown> {
  requireJson(request.headers.get('content-type'))
  try {
    const bytes = await readBytes(request, options, createJsonShapeCheck())
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (isQuillgateError(error)) throw error
    throw serverError('malformed_json', 'The body is not valid JSON in UTF-8.', {
      cause: error,
    })
  }
}

/** Returns the body, or an empty stream. @throws QuillgateError 500 `body_already_read` */
export function bodyOf(request: Request): ReadableStream<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw bodyAlreadyRead()
  return request.body ?? new Blob([]).stream()
}

/** Creates the error for a body that other code, such as a body parser, has read first. */
export function bodyAlreadyRead(): QuillgateError {
  return serverError(
    'body_already_read',
    'Another handler has read the body of this request. Mount Quillgate before the body parser.',
  )
}

/** Returns the media type of a `content-type` header, in lower case, without parameters. */
export function mediaType(contentType: string | null): string {
  return (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** Returns true for `application/json` and every `application/…+json`. */
export function isJsonType(contentType: string | null): boolean {
  return JSON_TYPE.test(mediaType(contentType))
}

function requireJson(contentType: string | null): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  if (!isJsonType(contentType) || !/^utf-?8$/i.test(charset)) {
    throw serverError(
      'unsupported_media_type',
      'Send JSON in UTF-8 with content-type: application/json.',
    )
  }
}

/** Creates the error 413 `body_too_large`. */
export function bodyTooLarge(maxBytes: number): QuillgateError {
  return serverError(
    'body_too_large',
    `The body is larger than ${maxBytes} bytes. Send a smaller body.`,
  )
}

/**
 * Reads a body into memory.
 *
 * @param see called with each chunk; if it throws, reading stops
 * @throws QuillgateError 413 as soon as the body exceeds the limit
 */
export async function readBytes(
  request: Request,
  { maxBytes, tooLarge = bodyTooLarge }: ReadJsonOptions,
  see: (chunk: Uint8Array) => void = () => {},
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes)
  // Copies all chunks to one buffer. Keeping millions of tiny chunks would need much more memory.
  let bytes: Buffer = Buffer.alloc(0)
  let size = 0
  for await (const chunk of bodyOf(request)) {
    const end = size + chunk.byteLength
    if (end > maxBytes) throw tooLarge(maxBytes)
    see(chunk)
    if (end > bytes.length)
      bytes = Buffer.concat([bytes], Math.min(Math.max(2 * bytes.length, end), maxBytes))
    bytes.set(chunk, size)
    size = end
  }
  return bytes.subarray(0, size)
}

const MAX_DEPTH = 16 // The bodies of our endpoints have at most two levels.
/** The maximum number of brackets, commas and colons outside of strings. */
const MAX_STRUCTURE = 1000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const BRACE_BIT = 0x20 // `[` and `{` differ only in this bit. The same is true for `]` and `}`.
const OPEN = 0x7b
const CLOSE = 0x7d

// Returns a function that checks the limits above before `JSON.parse`. For a text such as `[[[[…`,
// `JSON.parse` creates an object for each byte, which can take seconds and gigabytes. Bytes inside
// strings are not counted, because parsing them is cheap.
function createJsonShapeCheck(): (bytes: Uint8Array) => void {
  let inString = false
  let isEscaped = false
  let depth = 0
  let structure = 0

  const count = (byte: number): void => {
    const bracket = byte | BRACE_BIT
    if (bracket === OPEN) depth++
    else if (bracket === CLOSE) depth--
    else if (byte !== COMMA && byte !== COLON) return
    structure++
    if (depth > MAX_DEPTH)
      throw invalidRequest(`The JSON body has more than ${MAX_DEPTH} levels. Use fewer levels.`)
    if (structure > MAX_STRUCTURE) {
      throw invalidRequest(
        `The JSON body has more than ${MAX_STRUCTURE} brackets, commas and colons. Send a smaller body.`,
      )
    }
  }

  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0
      if (!inString) {
        if (byte === QUOTE) inString = true
        else count(byte)
      } else if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) inString = false
    }
  }
}
