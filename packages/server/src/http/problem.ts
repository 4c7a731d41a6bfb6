import { isQuillgateError, type QuillgateError, serverError } from '../core/errors.ts'
import { jsonResponse } from '../core/json.ts'

const FAILED = 'Something went wrong on the server. Try again later.'

/** Options of {@link problemResponse}. */
export interface ProblemOptions {
  /** Called with every error whose response has a 5xx status. */
  readonly onUnexpected?: ((error: unknown) => void) | undefined
}

/**
 * Creates the response to an error, with problem details (RFC 9457): `{ type, title, status,
 * detail, code }`, and `errors` if properties of the body are wrong. An error of another library
 * becomes 500 `internal_error` without details. A `ConfigurationError` is hidden in the same way,
 * because its message contains settings.
 *
 * @example
 * try {
 *   return await handle(request)
 * } catch (error) {
 *   return problemResponse(error, { onUnexpected: (error) => logger.error(error) })
 * }
 */
export function problemResponse(error: unknown, options: ProblemOptions = {}): Response {
  const shown = isShown(error) ? error : serverError('internal_error', FAILED)
  const { code, title, status, detail, errors } = shown
  try {
    if (status >= 500) options.onUnexpected?.(error)
  } catch {
    // Logging failed. The client must still get a response.
  }
  // A URN is only an identifier (RFC 9457 §3.1.1), so it needs no page.
  const type = `urn:quillgate:problem:${code}`
  const body = { type, title, status, detail, code, ...(errors.length > 0 ? { errors } : {}) }
  return jsonResponse(body, { status, headers: problemHeaders(shown) })
}

/** Creates the error 405 `method_not_allowed`. */
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

function problemHeaders(error: QuillgateError): Headers {
  const headers = new Headers(error.headers)
  headers.set('content-type', 'application/problem+json')
  headers.set('cache-control', 'no-store')
  // RFC 9110 §15.5.2: a 401 must name at least one way to authenticate.
  if (error.status === 401 && !headers.has('www-authenticate'))
    headers.set('www-authenticate', 'Bearer')
  return headers
}
