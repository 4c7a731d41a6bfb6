import type { AllStrings } from '../i18n/strings.ts'

/** The error of a failed request. Its message is for the user. */
export class RequestError extends Error {
  override name = 'RequestError'
  /** The HTTP status that caused the error, 400 for an unreadable file, or 0. */
  readonly status: number
  /** The code of the problem details, or `''`. If the connection failed, `no_connection`. */
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

const MOST_CHARACTERS = 500

// After these statuses, a retry can succeed, for example once the user has signed in again.
const CHANGING: readonly number[] = [401, 403, 408, 429]

/** Returns whether the same request may succeed later. */
export function canRetry(error: unknown): boolean {
  if (!(error instanceof RequestError)) return true
  return error.status < 400 || error.status >= 500 || CHANGING.includes(error.status)
}

/** Returns whether an error means that a request got no response. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'no_connection'
}

/** Returns the JSON of a response, or null. Throws a RequestError if the status is not 2xx. */
export function readAnswer(request: XMLHttpRequest, strings: AllStrings): unknown {
  const { status } = request
  const json: unknown = request.response
  if (status >= 200 && status < 300) return json
  const problem = isRecord(json) ? json : {}
  const code = textOf(problem['code'])
  const isMissing = status === 404 || status === 405
  if (code === 'csrf_failed' || isMissing) {
    const detail = textOf(problem['detail'])
    // biome-ignore lint/suspicious/noConsole: it helps the developer of the page; users get a message
    console.warn(`markdown-editor: ${request.responseURL} answered ${status}. ${detail}`)
  }
  const reason = isMissing ? strings.notSetUp : reasonOf(problem, strings)
  const byStatus = status === 413 ? strings.tooLarge : strings.status(status)
  throw new RequestError(reason || byStatus, { status, code })
}

/** Returns whether a JSON value is an object or an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns a string of a response, cut to 500 characters. For other values, returns `''`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : ''
}

/** Returns the message for the user, or `''`. Replaces messages that are for developers. */
function reasonOf(problem: Readonly<Record<string, unknown>>, strings: AllStrings): string {
  const { code } = problem
  const [detail, title] = [textOf(problem['detail']), textOf(problem['title'])]
  if (code === 'authentication_required') return strings.signedOut
  if (code === 'csrf_failed') return strings.outOfDate
  // Keeps only the first sentence. The next sentence lists the accepted types and can be long.
  if (code === 'unsupported_media_type') return detail.split(/(?<=\.) /)[0] || title
  return detail || title
}
