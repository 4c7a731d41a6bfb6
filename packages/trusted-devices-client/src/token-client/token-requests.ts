import type { TokenPlatform } from './platform.ts'

/** The result of a request to a token endpoint. */
export type TokenAnswer =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly detail: string
    }
  /**
   * The server asks the client to wait. `seconds` is the time from the `retry-after` header,
   * limited to an hour, or null.
   */
  | {
      readonly kind: 'busy'
      readonly status: number
      readonly code: string
      readonly seconds: number | null
    }
  /**
   * There was no usable response. The reason is a missing connection, a timeout, or the page of a
   * proxy. `pending` is true if the request can still arrive at the server.
   */
  | {
      readonly kind: 'unreachable'
      readonly status: number
      readonly pending?: boolean
      readonly cause?: unknown
    }

/**
 * Posts JSON without cookies. The promise never rejects.
 *
 * @param timeout the maximum time in milliseconds
 */
export async function postToken(
  { fetch, wait, clock }: TokenPlatform,
  url: string,
  timeout: number,
  { body, access }: { body?: unknown; access?: string },
): Promise<TokenAnswer> {
  const late = new AbortController()
  const done = new AbortController()
  const deadline = new Promise<never>((_resolve, reject) => {
    void wait(timeout, done.signal).then(() => {
      if (done.signal.aborted) return
      late.abort()
      reject(new Error('The server did not answer in time.'))
    })
  })
  try {
    const request = new Request(url, {
      method: 'POST',
      credentials: 'omit',
      cache: 'no-store',
      signal: late.signal,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return await Promise.race([
      deadline,
      fetch(request).then((response) => readAnswer(response, clock())),
    ])
  } catch (cause) {
    return { kind: 'unreachable', status: 0, pending: late.signal.aborted, cause }
  } finally {
    done.abort()
  }
}

async function readAnswer(response: Response, now: number): Promise<TokenAnswer> {
  const { status } = response
  const body = await readRecord(response)
  if (response.ok)
    return body || status === 204
      ? { kind: 'ok', body: body ?? {} }
      : { kind: 'unreachable', status }
  const code = typeof body?.['code'] === 'string' ? body['code'] : ''
  if (status === 429 || status === 503)
    return { kind: 'busy', status, code: code || 'busy', seconds: retryAfter(response, now) }
  // A response without a code is the error of a proxy or the login page of a network. Such a
  // response does not show whether the token is valid.
  if (code === '' || status >= 500) return { kind: 'unreachable', status }
  return { kind: 'refused', status, code, detail: String(body?.['detail'] ?? code) }
}

async function readRecord(response: Response): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await response.text())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * Returns the time from the `retry-after` header in seconds, from 0 to 3600, or null. The header
 * contains seconds or a date (RFC 9110 §10.2.3).
 */
function retryAfter({ headers }: Response, now: number): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3600) : null
}

/**
 * Returns true for a 401 that rejects the access token. Other 401 responses reject, for example, a
 * password in the body of the request.
 */
export async function isAboutToken(response: Response): Promise<boolean> {
  if (response.status !== 401) return false
  const type = response.headers.get('content-type') ?? ''
  if (!/^application\/(?:problem\+)?json\b/i.test(type)) return true
  const code = (await readRecord(response.clone()).catch(() => null))?.['code']
  return typeof code !== 'string' || ABOUT_TOKEN.includes(code)
}

const ABOUT_TOKEN = [
  'authentication_required',
  'token_invalid',
  'token_expired',
  'device_not_recognized',
]
