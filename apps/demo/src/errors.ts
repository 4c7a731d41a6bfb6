import { isQuillgateError, QuillgateError } from '@quillgate/server/core'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { SignInNeeded } from './sign-in-needed.ts'

/**
 * Returns an error that the client may see, or null. Converts errors of Express, for example of its
 * body parsers. Returns null for configuration errors, which are only logged.
 */
export function toQuillgateError(error: unknown): QuillgateError | null {
  if (isQuillgateError(error)) return error.code === 'configuration_error' ? null : error
  const { type, status } = (error ?? {}) as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large')
    return new QuillgateError('text_too_large', 413, 'The text is too large. Shorten it.')
  if (type === 'entity.parse.failed')
    return new QuillgateError('malformed_json', 400, 'The body is not valid JSON.')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new QuillgateError('invalid_request', status, 'The server cannot read this request.')
  }
  return null
}

export const notFound: RequestHandler = (_request, _response, next) => {
  next(new QuillgateError('not_found', 404, 'There is no page at this address.'))
}

/** Shows an error as a page. The details of an unexpected error are only logged. */
export const showError: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) return next(error)
  if (error instanceof SignInNeeded) {
    const back = request.method === 'GET' ? `?next=${encodeURIComponent(request.originalUrl)}` : ''
    return response.redirect(303, `/login${back}`)
  }
  const known = toQuillgateError(error)
  if (!known) console.error(error)
  response.status(known?.status ?? 500)
  for (const [name, value] of Object.entries(known?.headers ?? {})) response.set(name, value)
  response.render('error', {
    title: 'That did not work',
    status: known?.status ?? 500,
    detail: known?.detail ?? 'An unexpected error occurred. It was logged.',
  })
}
