// The parts of a path that a URL parser removes or replaces by a slash.
const CHANGED_BY_URLS = /[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:\/|$)/i

// Accepts only plain hosts, because parsers disagree on where other hosts end. For example,
// `url.parse`, which Express uses for the absolute form, ends a host at `;`.
const TARGET = /^(?:https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?(\/[^?#]*)(?:\?[^#]*)?$/i

/**
 * Returns the path of a request target (RFC 9112 §3.2) as it was sent. Returns null if a URL parser
 * would return a different path (`/./`, `/%2e%2e/`, backslashes, a fragment), or if the host is not
 * plain. In these cases, a proxy and the handler would check different paths.
 */
export function sentPath(target: string): string | null {
  const path = TARGET.exec(target)?.[1]
  return path === undefined || CHANGED_BY_URLS.test(path) ? null : path
}
