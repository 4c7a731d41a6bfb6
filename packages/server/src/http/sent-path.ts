// Matches the parts of a path that a URL parser removes or turns into a slash.
const CHANGED_BY_URLS = /[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:\/|$)/i

// Accepts only plain hosts, because parsers disagree on where other hosts end. For example,
// `url.parse`, which Express uses for the absolute form, ends a host at `;`.
const TARGET = /^(?:https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?(\/[^?#]*)(?:\?[^#]*)?$/i

/**
 * Returns the path of a request target as it was sent. The target is a path with an optional query,
 * or a URL (the absolute form, RFC 9112 §3.2.2).
 *
 * @returns null if a URL parser would return a different path, because of dot segments, plain or
 * encoded (`/./`, `/%2e%2e/`), backslashes or a fragment; or if the host is not plain. For such a
 * target, a guard in front of a handler would compare a different path than the handler.
 */
export function sentPath(target: string): string | null {
  const path = TARGET.exec(target)?.[1]
  return path === undefined || CHANGED_BY_URLS.test(path) ? null : path
}
