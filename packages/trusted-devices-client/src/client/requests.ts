import { dispatch } from './dom.ts'

/** The `detail` of the event `request`. The list dispatches this event before each request. */
export interface DeviceRequestDetail {
  readonly method: string
  readonly url: string
  /** The headers to send. Listeners may add headers. */
  readonly headers: Headers
}

/** The result of a request. */
export interface DeviceAnswer {
  /** The HTTP status, or 0 if the server did not respond. */
  readonly status: number
  /** The error code of the response, or `''`; `offline` if the server did not respond. */
  readonly code: string
  readonly detail: string
  /** The seconds of the `retry-after` header, or 60 without it; 0 if the server did not respond. */
  readonly seconds: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends a request, like `fetch`. */
export type DeviceFetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Dispatches a `request` event, then sends the request.
 *
 * @param token the CSRF token
 * @returns null if a listener cancelled the event
 */
export async function sendRequest(
  host: EventTarget,
  send: DeviceFetch,
  { method, url, token, body }: { method: string; url: string; token: string; body?: unknown },
): Promise<DeviceAnswer | null> {
  const headers = new Headers({ accept: 'application/json' })
  if (method !== 'GET' && token !== '') headers.set('x-csrf-token', token)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const detail: DeviceRequestDetail = { method, url, headers }
  if (!dispatch(host, 'request', detail)) return null
  try {
    return await readAnswer(await send(url, { method, headers, body: JSON.stringify(body) }))
  } catch {
    return { status: 0, code: 'offline', detail: '', seconds: 0, body: {} }
  }
}

async function readAnswer(response: Response): Promise<DeviceAnswer> {
  const body = parseRecord(await response.text())
  const { code, detail } = body
  return {
    status: response.status,
    code: typeof code === 'string' ? code : '',
    detail: typeof detail === 'string' ? detail : '',
    seconds: Number(response.headers.get('retry-after')) || 60,
    body,
  }
}

/** Parses JSON. Returns `{}` for other text, such as the HTML page of a proxy. */
export function parseRecord(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
