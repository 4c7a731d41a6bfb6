import { type FieldError, type QuillgateError, serverError } from './errors.ts'

/** 404 `not_found`. @param detail where more can be said than that nothing is there */
export function notFound(detail = 'There is nothing at this address.'): QuillgateError {
  return serverError('not_found', detail)
}

/**
 * 400 `invalid_request`. Its message names the first members that are wrong, for who calls from
 * code and sees no more.
 *
 * @param errors the members that are wrong; at most 20 are shown
 */
export function invalidRequest(detail: string, errors: readonly FieldError[] = []): QuillgateError {
  const named = errors
    .slice(0, NAMED)
    .map(({ field, message }) => `${field.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')}: ${message}`)
  const text = [detail, ...named].join(' ')
  return serverError('invalid_request', text, { errors: errors.slice(0, 20) })
}

const NAMED = 3

/** 413 `file_too_large`. @param limit the most bytes that a file may have */
export function fileTooLarge(limit: number): QuillgateError {
  return serverError('file_too_large', `A file is larger than ${limit} bytes.`)
}

/** 401 `authentication_required`. @param authenticate the `www-authenticate` header */
export function authenticationRequired(
  detail = 'Sign in first.',
  authenticate = 'Bearer',
): QuillgateError {
  return serverError('authentication_required', detail, {
    headers: { 'www-authenticate': authenticate },
  })
}

/** 403 `csrf_failed`. */
export function csrfFailed(): QuillgateError {
  return serverError(
    'csrf_failed',
    'Send the CSRF token of the page in the x-csrf-token header, or as the first field, ' +
      'csrf_token, of a form. If it was sent, reload the page. If that does not help, the request ' +
      'does not come from the origin that the server expects. The log of the server says which.',
  )
}

/**
 * 500 `unknown_endpoint`: a name that `url` does not know. @param known the names that there are
 */
export function unknownEndpoint(name: unknown, known: readonly string[]): QuillgateError {
  return serverError(
    'unknown_endpoint',
    `There is no endpoint ${JSON.stringify(name)}; known are ${known.join(', ')}.`,
  )
}
