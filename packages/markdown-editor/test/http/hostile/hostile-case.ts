import { Buffer } from 'node:buffer'

/** Bytes of a case; text is UTF-8. */
export type Bytes = string | Uint8Array

/** What must come back: nothing is stored. `code: null`: the HTTP server itself answers, before any of our code. */
export interface Refused {
  readonly status: number
  readonly code: string | null
}

/** What must come back: the file is stored as just these bytes, if they are given. */
export interface Accepted {
  readonly status: 201
  /** The name in the answer. */
  readonly name?: string
  /** What stands behind the id in the key, in the normal form C. */
  readonly key?: string
  readonly type?: string
  readonly bytes?: Bytes
  /** Text that must not be left in the file. */
  readonly without?: string
}

/** The connection ends, with an answer or without one. */
export type Closed = 'closed'

/** Something that a client may send, and what must come of it. */
export interface HostileCase {
  readonly name: string
  /** All that goes over the socket, in pieces that are written one after the other. */
  readonly request: readonly Bytes[]
  readonly expect: Refused | Accepted | Closed
  /**
   * What the client does when it has sent everything: it ends its half of the connection at once or when it has waited
   * for 200 ms, it goes, or it stays as long as the server lets it.
   * @default 'stays'
   */
  readonly ends?: 'half' | 'later' | 'gone' | 'stays'
}

export const BOUNDARY = 'x'
export const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
export const PATH = '/md-editor/upload'

/** The refusals of the contract that occur here. */
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

/** A part with headers as they are given. */
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

/** The part of a file. @param filename with its quotes */
export const filePart = (
  content: Bytes = 'hello',
  filename: Bytes = '"a.txt"',
  type = 'text/plain',
): Buffer => part([join(DISPOSITION, filename), `content-type: ${type}`], content)

export const fieldPart = (name: string, value: Bytes): Buffer =>
  part(`content-disposition: form-data; name="${name}"`, value)

/** A body whose last delimiter is there. */
export const form = (...parts: readonly Bytes[]): Buffer => join(...parts, `--${BOUNDARY}--\r\n`)

/** The form that nothing is wrong with. */
export const GOOD: Buffer = form(filePart())

/** A request as HTTP writes it; headers as they are given come after the usual ones, or in their place. */
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

/** A case with one body that is sent as it must be. */
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
