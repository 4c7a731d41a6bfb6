import { ConfigurationError } from '../core/errors.ts'

/** How a cookie is added to an answer. */
export interface SetCookieOptions {
  /**
   * True for a cookie that only prolongs a session. An answer that shared caches may keep does not
   * get it.
   */
  readonly isRenewal?: boolean
}

/** Reads a header by its name. */
export type HeaderReader = (name: string) => string | null

/** The cookies that calls add to the answer of a request. */
export interface AnswerCookies {
  /**
   * Returns false if it is too late: the headers were sent, or the framework allows no cookies
   * here.
   */
  canSet(): boolean
  /**
   * Adds a `set-cookie` header. A later cookie of the same name replaces an earlier one.
   *
   * @throws ConfigurationError if it is too late
   */
  set(cookie: string, options?: SetCookieOptions): void
  /**
   * Removes and returns the `set-cookie` headers to add.
   *
   * @param read reads a header of the answer; null if it has none
   */
  take(read: HeaderReader | null): string[]
}

/** The state of the answer, as the server reports it. */
export interface Answering {
  /** @default false */
  areHeadersSent?(): boolean
  /** Called before the first cookie is added. */
  onFirst?(): void
}

const TOO_LATE =
  'must be called before the headers of the answer are sent, and where the framework can set cookies: ' +
  'in a route, a middleware or a server action'

/** Creates the cookies of one answer. */
export function createAnswerCookies(answering: Answering = {}): AnswerCookies {
  const { areHeadersSent = () => false, onFirst } = answering
  const added = new Map<string, { readonly cookie: string; readonly isRenewal: boolean }>()
  let isFirst = true
  return {
    canSet: () => !areHeadersSent(),
    set(cookie, { isRenewal = false } = {}) {
      if (areHeadersSent()) throw new ConfigurationError('A call that sets cookies', TOO_LATE)
      if (isFirst) onFirst?.()
      isFirst = false
      const name = cookie.slice(0, cookie.indexOf('='))
      added.delete(name)
      added.set(name, { cookie, isRenewal })
    },
    take(read) {
      const isShared = read !== null && isForSharedCaches(read)
      const cookies = [...added.values()].filter(({ isRenewal }) => !(isRenewal && isShared))
      added.clear()
      return cookies.map(({ cookie }) => cookie)
    },
  }
}

/** The cookies of an answer that can have none, such as that of a server component. */
export const noCookies: AnswerCookies = createAnswerCookies({ areHeadersSent: () => true })

/**
 * Returns the response with the cookies that calls have added. The `set-cookie` headers of the
 * response stay. Without such cookies, it returns the response itself.
 */
export function withCookies(response: Response, cookies: AnswerCookies): Response {
  const added = cookies.take((name) => response.headers.get(name))
  if (added.length === 0) return response
  const answer = new Response(response.body, response) // Some responses have immutable headers.
  for (const cookie of added) answer.headers.append('set-cookie', cookie)
  return answer
}

/**
 * Returns true if a shared cache may keep an answer (RFC 9111, 3; RFC 9213). Such an answer reaches
 * other browsers. `private` and `no-cache` that name fields do not keep the other fields out of the
 * cache.
 */
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
