import { isQuillgateError, type QuillgateError, serverError } from '../core/errors.ts'
import { type HeadersSource, jsonResponse } from '../core/json.ts'

/**
 * A problem's type is this and its code: an identifier (RFC 9457 §3.1.1), so that it promises no
 * page at an address.
 */
const TYPE_PREFIX = 'urn:quillgate:problem:'

/** How {@link problemResponse} treats errors. */
export interface ProblemOptions {
  /**
   * Called with every error that is answered by 5xx, for the application's log. The answer never
   * contains unexpected errors.
   */
  readonly onUnexpected?: ((error: unknown) => void) | undefined
}

/**
 * Turns an error into the one error form of Quillgate, problem details (RFC 9457): `{ type, title,
 * status, detail, code }` and `errors` for members of a body, never stored by caches.
 *
 * A {@link QuillgateError} gives its own status, code, text and headers. Everything else is 500
 * `internal_error` without details, and so is a `ConfigurationError`: its text quotes settings, and
 * is for the operator only.
 *
 * @example
 * try {
 *   return await handle(request)
 * } catch (error) {
 *   return problemResponse(error, { onUnexpected: (error) => logger.error(error) })
 * }
 */
export function problemResponse(error: unknown, options: ProblemOptions = {}): Response {
  const shown = isShown(error) ? error : internalError()
  if (shown.status >= 500) tell(error, options)
  const body = {
    type: TYPE_PREFIX + shown.code,
    title: shown.title,
    status: shown.status,
    detail: shown.detail,
    code: shown.code,
    ...(shown.errors.length > 0 ? { errors: shown.errors } : {}),
  }
  return jsonResponse(body, { status: shown.status, headers: problemHeaders(shown) })
}

/** The log function can throw. The client must get its answer anyway. */
function tell(error: unknown, { onUnexpected }: ProblemOptions): void {
  try {
    onUnexpected?.(error)
  } catch {
    // The log itself failed.
  }
}

/**
 * The error for a method that an endpoint does not have: 405 `method_not_allowed` with its `allow`
 * header.
 *
 * @param allow the methods that the endpoint has, for example `['GET', 'HEAD']`
 */
export function methodNotAllowed(allow: readonly string[]): QuillgateError {
  const methods = allow.join(', ')
  return serverError('method_not_allowed', `Use one of these methods: ${methods}.`, {
    headers: { allow: methods },
  })
}

function isShown(error: unknown): error is QuillgateError {
  return (
    isQuillgateError(error) &&
    error.code !== 'configuration_error' &&
    error.status >= 400 &&
    error.status <= 599
  )
}

function internalError(): QuillgateError {
  return serverError('internal_error', 'Something went wrong on the server. Try again later.')
}

function problemHeaders(error: QuillgateError): HeadersSource {
  const headers = new Headers(error.headers)
  headers.set('content-type', 'application/problem+json')
  headers.set('cache-control', 'no-store')
  // RFC 9110 §15.5.2: a 401 must name at least one way to authenticate.
  if (error.status === 401 && !headers.has('www-authenticate'))
    headers.set('www-authenticate', 'Bearer')
  return headers
}
