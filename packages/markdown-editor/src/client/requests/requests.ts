import type { FinalizeRequest, FinalizeResponse, ProblemDetails, UploadResponse } from '../../contract/wire.ts'
import type { EditorStrings } from '../strings/strings.ts'

/** Detail of the `request` event, which an editor sends before each request. */
export interface RequestDetail {
  readonly kind: 'upload' | 'finalize'
  readonly url: string
  /** The headers that will be sent; listeners may add to them. */
  readonly headers: Headers
}

/** Where a request goes. */
export interface RequestTarget {
  readonly url: string
  readonly headers: Headers
  /** Ends the request. */
  readonly signal: AbortSignal
  /** The words for what goes wrong. */
  readonly strings: EditorStrings
}

/** A request that failed; the message is for the user. */
export class RequestError extends Error {
  override name = 'RequestError'
  /** Status of the answer; 0 without one. */
  readonly status: number
  /** Code of the problem details, or `''`. */
  readonly code: string

  constructor(message: string, { status = 0, code = '', cause }: RequestErrorOptions = {}) {
    super(message, { cause })
    this.status = status
    this.code = code
  }
}

interface RequestErrorOptions {
  readonly status?: number
  readonly code?: string
  readonly cause?: unknown
}

// What another attempt can change, beside the errors of the server: who is signed in, and how many requests there were.
const CHANGING: readonly number[] = [401, 403, 408, 429]

/** True when the same request may do better at another time. */
export function canRetry(error: unknown): boolean {
  if (!(error instanceof RequestError)) return true
  return error.status < 400 || error.status >= 500 || CHANGING.includes(error.status)
}

/**
 * Prepares a request: asks the page by a `request` event, which it may cancel.
 *
 * @param token the CSRF token, sent as a header
 * @throws RequestError when a listener cancelled the event
 */
export function announceRequest(
  host: EventTarget,
  kind: RequestDetail['kind'],
  url: string,
  token: string | null,
  signal: AbortSignal,
  strings: EditorStrings,
): RequestTarget {
  const headers = new Headers(token === null ? {} : { 'x-csrf-token': token })
  const detail: RequestDetail = { kind, url, headers }
  const event = new CustomEvent('request', { bubbles: true, cancelable: true, composed: true, detail })
  if (!host.dispatchEvent(event)) throw new RequestError(strings.refused)
  return { url, headers, signal, strings }
}

/**
 * Uploads a file into temporary storage.
 *
 * @param token the CSRF token, sent as the first part, so that the server can check it before it takes the file
 * @param onProgress hears the share that was sent, 0 to 1
 * @throws RequestError, or the signal's reason when it was aborted
 */
export async function postFile(
  { url, headers, signal, strings }: RequestTarget,
  file: File,
  token: string | null,
  onProgress: (share: number) => void,
): Promise<UploadResponse> {
  const body = new FormData()
  if (token !== null) body.append('csrf_token', token)
  body.append('file', file, file.name)

  const answer = await new Promise<Answer>((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('POST', url)
    headers.forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => resolve({ status: request.status, text: request.responseText })
    request.onerror = () => reject(new RequestError(strings.noConnection))
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
  const result = readAnswer(answer, strings)
  if (isRecord(result) && typeof result['url'] === 'string' && result['url'] !== '') {
    const { url: fileUrl, name = file.name, type = file.type } = result
    return { url: fileUrl, name: String(name), type: String(type) }
  }
  throw new RequestError(strings.badAnswer)
}

/**
 * Asks the server to make the temporary files of a text permanent.
 *
 * @throws RequestError, or the signal's reason when it was aborted
 */
export async function postText(
  { url, headers, signal, strings }: RequestTarget,
  text: string,
): Promise<FinalizeResponse> {
  headers.set('content-type', 'application/json')
  const body: FinalizeRequest = { text }
  let answer: Answer
  try {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    answer = { status: response.status, text: await response.text() }
  } catch (error) {
    throw signal.aborted ? error : new RequestError(strings.noConnection, { cause: error })
  }
  const result = readAnswer(answer, strings)
  if (isRecord(result) && isTextMap(result['replacements'])) {
    const { replacements, missing } = result
    return { replacements, missing: Array.isArray(missing) ? missing.map(String) : [] }
  }
  throw new RequestError(strings.badAnswer)
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** The JSON of a good answer; the reason of the problem details of a bad one as an error. */
function readAnswer({ status, text }: Answer, strings: EditorStrings): unknown {
  const json = parseJson(text)
  if (status >= 200 && status < 300) return json
  const problem = (isRecord(json) ? json : {}) as Partial<ProblemDetails>
  throw new RequestError(reasonOf(problem, strings) || strings.status(status), {
    status,
    code: String(problem.code ?? ''),
  })
}

/** What a problem means to the person at the page: some codes speak to developers. */
function reasonOf({ code, detail, title }: Partial<ProblemDetails>, strings: EditorStrings): string | undefined {
  if (code === 'authentication_required') return strings.signedOut
  if (code === 'csrf_failed') return strings.outOfDate
  // The types that would be accepted follow, and they may be many.
  if (code === 'unsupported_media_type') return detail?.split(/(?<=\.) /)[0] || title
  return detail || title
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // A page of a proxy, for example.
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string')
}
