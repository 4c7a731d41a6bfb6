import { generateCookie } from 'hono/cookie'
import { ConfigurationError } from '../core/errors.ts'

/** A cookie of a response. Browsers send it only to the host that set it, for all paths. */
export interface ResponseCookie {
  readonly name: string
  /** Any well-formed text, because it is sent percent-encoded. */
  readonly value: string
  /** True if browsers send the cookie only over https. Use `network.isSecure(context)`. */
  readonly secure: boolean
  /** @default true */
  readonly httpOnly?: boolean
  /** In seconds. 0 deletes the cookie. By default, it is deleted when the browser closes. */
  readonly maxAge?: number
  /** True if the cookie only extends a session. Responses for shared caches omit such cookies. */
  readonly isRenewal?: boolean
}

/** The attributes that most of our cookies have. */
export const COOKIE_DEFAULTS = { httpOnly: true, sameSite: 'lax', path: '/' } as const

/** A function that returns the value of a header, or null. */
export type HeaderReader = (name: string) => string | null

/** The framework's response, to which an adapter adds the cookies. */
export interface AnswerState {
  /** @default false */
  areHeadersSent?(): boolean
  /** Called before the first cookie is added. */
  onFirst?(): void
}

const TOO_LATE =
  'must be called in a route, a middleware or a server action, before the headers of the response are sent'

/** Collects the cookies that are set during a request. */
export class ResponseCookies {
  readonly #state: AnswerState
  #isTaken = false
  #added: Map<string, { readonly header: string; readonly isRenewal: boolean }> | undefined

  constructor(state: AnswerState = {}) {
    this.#state = state
  }

  /**
   * Returns false if the headers have been sent, or if cookies cannot be set, for example in a
   * server component of Next.
   */
  canSet(): boolean {
    return !this.#isTaken && !this.#state.areHeadersSent?.()
  }

  /** Adds or replaces a cookie. @throws ConfigurationError if `canSet()` is false */
  set(cookie: ResponseCookie): void {
    if (!this.canSet()) throw new ConfigurationError('A function that sets cookies', TOO_LATE)
    if (!this.#added) this.#state.onFirst?.()
    this.#added ??= new Map()
    const { name, value, isRenewal = false, ...attributes } = cookie
    this.#added.delete(name)
    const header = generateCookie(name, value, { ...COOKIE_DEFAULTS, ...attributes })
    this.#added.set(name, { header, isRenewal })
  }

  /**
   * Returns the cookies. If a shared cache may store the response, omits session renewals.
   * Afterwards, no cookie can be set.
   *
   * @param read reads a header of the response; null if the headers cannot be read
   */
  take(read: HeaderReader | null): string[] {
    this.#isTaken = true
    if (!this.#added) return []
    const isShared = read !== null && isForSharedCaches(read)
    const added = [...this.#added.values()]
    this.#added.clear()
    return added.filter(({ isRenewal }) => !(isRenewal && isShared)).map(({ header }) => header)
  }
}

/** Adds the cookies that were set during the request to the response. */
export function withCookies(response: Response, cookies: ResponseCookies): Response {
  const added = cookies.take((name) => response.headers.get(name))
  if (added.length === 0) return response
  const answer = new Response(response.body, response) // Some responses have immutable headers.
  for (const cookie of added) answer.headers.append('set-cookie', cookie)
  return answer
}

// Returns true if a shared cache may store the response (RFC 9111 §3, RFC 9213). The directive
// `private="set-cookie"` does not forbid storing, because it applies only to the named header.
function isForSharedCaches(read: HeaderReader): boolean {
  if (read('cdn-cache-control') !== null || read('surrogate-control') !== null) return true
  const directives = (read('cache-control') ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
  if (directives.includes('private') || directives.includes('no-store')) return false
  if (read('expires') !== null && directives.every((each) => each === '')) return true
  return directives.some((each) => each === 'public' || /^(?:s-maxage|max-age)="?[1-9]/.test(each))
}
