// Matches text in a path that a URL parser removes or replaces with a slash.
const CHANGED_BY_URLS = /[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:\/|$)/i

// Accepts only hosts of letters, digits, `.`, `_` and `-`, and IPv6 hosts. Parsers disagree about
// the end of other hosts. For example, `url.parse` ends a host at `;`, and Express uses
// `url.parse`.
const TARGET = /^(?:https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?(\/[^?#]*)(?:\?[^#]*)?$/i

/**
 * Returns the path of a request target (RFC 9112 §3.2) without changing it. Returns null if a URL
 * parser could find a different path, for example because of `/%2e%2e/`, a backslash or an unusual
 * host. In these cases, a proxy and the handler could check different paths.
 */
export function sentPath(target: string): string | null {
  const path = TARGET.exec(target)?.[1]
  return path === undefined || CHANGED_BY_URLS.test(path) ? null : path
}
