// Matches what a URL parser removes or turns into a slash.
const CHANGED_BY_URLS = /[\\\t\n\r]|\/(?:\.|%2e){1,2}(?:\/|$)/i

// Parsers disagree on where any other authority ends: for `url.parse`, by which Express reads the
// absolute form, at `;`.
const TARGET = /^(?:https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?(\/[^?#]*)(?:\?[^#]*)?$/i

/**
 * Returns the path of a request target as it was sent. The target is a path with an optional query,
 * or a URL (the absolute form, RFC 9112 §3.2.2).
 *
 * @returns null if a URL parser would find another path there: dot segments, plain or encoded
 * (`/./`, `/%2e%2e/`), backslashes, a fragment; or if the host is not plain. A guard in front of a
 * handler compares such a path with another text than the handler does.
 */
export function sentPath(target: string): string | null {
  const path = TARGET.exec(target)?.[1]
  return path === undefined || CHANGED_BY_URLS.test(path) ? null : path
}
