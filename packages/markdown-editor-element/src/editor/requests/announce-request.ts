import { laterStrings } from '../../i18n/later.ts'
import type { AllStrings } from '../../i18n/strings.ts'
import type { EditorContext } from '../editor-context.ts'
import { RequestError } from './request-error.ts'

/** Detail of the `request` event, which an editor sends before each request. */
export interface RequestDetail {
  readonly kind: 'upload' | 'finalize'
  readonly url: string
  /** The headers that will be sent; listeners may add to them. */
  readonly headers: Headers
}

/** The destination of a request. */
export interface RequestTarget {
  readonly url: string
  readonly headers: Headers
  /** Aborts the request. */
  readonly signal: AbortSignal
  /** The words for errors. */
  readonly strings: AllStrings
}

/**
 * Prepares a request and sends the `request` event, which the page may cancel.
 *
 * @param token the CSRF token, sent as a header, or null
 * @throws RequestError if a listener cancelled the event
 */
export function announceRequest(
  context: Pick<EditorContext, 'host' | 'strings'>,
  kind: RequestDetail['kind'],
  url: string,
  token: string | null,
  signal: AbortSignal,
): RequestTarget {
  const strings = laterStrings(context.strings)
  const headers = new Headers(token === null ? {} : { 'x-csrf-token': token })
  const detail: RequestDetail = { kind, url, headers }
  const event = new CustomEvent('request', {
    bubbles: true,
    cancelable: true,
    composed: true,
    detail,
  })
  if (!context.host.dispatchEvent(event)) throw new RequestError(strings.refused)
  return { url, headers, signal, strings }
}
