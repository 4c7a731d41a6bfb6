import { Buffer } from 'node:buffer'

/** Strings are encoded as UTF-8. */
export type Bytes = string | Uint8Array

/** An expected rejection. If `code` is null, Node's HTTP server itself rejects the request. */
export interface Refused {
  readonly status: number
  readonly code: string | null
}

/** An expected upload. If `bytes` is given, the stored file must contain exactly these bytes. */
export interface Accepted {
  readonly status: 201
  readonly name?: string
  /** The part of the storage key after the id and the hyphen, in Unicode normalization form C. */
  readonly key?: string
  readonly type?: string
  readonly bytes?: Bytes
  /** Text that the stored file must not contain. */
  readonly without?: string
}

/** The connection closes, with or without a response. */
export type Closed = 'closed'

export interface HostileCase {
  readonly name: string
  /** Each element is one write to the socket. */
  readonly request: readonly Bytes[]
  readonly expect: Refused | Accepted | Closed
  /**
   * The client's next step after it has sent everything. `half-close` ends the writing side,
   * `half-close-later` does so after 200 ms, and `wait` waits for the server to close.
   * @default 'wait'
   */
  readonly afterSending?: 'half-close' | 'half-close-later' | 'disconnect' | 'wait'
}

export const BOUNDARY = 'x'
export const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
export const PATH = '/md-editor/upload'

/** The documented errors of an upload, and `http` for the 400 of Node's HTTP server. */
export const refused = {
  malformed: { status: 400, code: 'malformed_multipart' },
  missing: { status: 400, code: 'missing_file' },
  multiple: { status: 400, code: 'multiple_files' },
  empty: { status: 400, code: 'empty_file' },
  http: { status: 400, code: null },
  signedOut: { status: 401, code: 'authentication_required' },
  csrf: { status: 403, code: 'csrf_failed' },
  notFound: { status: 404, code: 'not_found' },
  method: { status: 405, code: 'method_not_allowed' },
  fileTooLarge: { status: 413, code: 'file_too_large' },
  fieldTooLarge: { status: 413, code: 'field_too_large' },
  bodyTooLarge: { status: 413, code: 'body_too_large' },
  tooManyParts: { status: 413, code: 'too_many_parts' },
  type: { status: 415, code: 'unsupported_media_type' },
  invalid: { status: 422, code: 'validation_error' },
} as const satisfies Readonly<Record<string, Refused>>

export const join = (...parts: readonly Bytes[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))
export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

export const part = (
  headers: readonly Bytes[] | Bytes,
  content: Bytes,
  boundary: string = BOUNDARY,
): Buffer => {
  const lines = Array.isArray(headers)
    ? headers.flatMap((line: Bytes) => [line, '\r\n'])
    : [headers as Bytes, '\r\n']
  return join(`--${boundary}\r\n`, ...lines, '\r\n', content, '\r\n')
}

const DISPOSITION = 'content-disposition: form-data; name="file"; filename='

/** `filename` includes its quotes. */
export const filePart = (
  content: Bytes = 'hello',
  filename: Bytes = '"a.txt"',
  type = 'text/plain',
): Buffer => part([join(DISPOSITION, filename), `content-type: ${type}`], content)

export const fieldPart = (name: string, value: Bytes): Buffer =>
  part(`content-disposition: form-data; name="${name}"`, value)

export const form = (...parts: readonly Bytes[]): Buffer => join(...parts, `--${BOUNDARY}--\r\n`)

export const GOOD: Buffer = form(filePart())

/** `headers` replace or extend the defaults. Null removes a header. */
export function post(
  body: Bytes,
  headers: Readonly<Record<string, string | null>> = {},
  path: string = PATH,
): Buffer {
  const all: Record<string, string | null> = {
    host: 'example.com',
    connection: 'close',
    authorization: 'Bearer ada',
    'content-type': TYPE,
    'content-length': String(Buffer.byteLength(body as string)),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  )
  return join(latin1(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body)
}

export const withBody = (
  name: string,
  body: Bytes,
  expect: HostileCase['expect'],
  contentType?: string,
): HostileCase => ({
  name,
  request: [post(body, contentType === undefined ? {} : { 'content-type': contentType })],
  expect,
})
