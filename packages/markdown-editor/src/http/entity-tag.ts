/** True when an `If-None-Match` header names this entity tag, by weak comparison (RFC 9110, 13.1.2). */
export function matchesEntityTag(header: string | null, tag: string): boolean {
  return isNamed(header, tag, /(?:W\/)?("[^"]*")/g)
}

/** True when an `If-Match` header names this entity tag, by strong comparison (RFC 9110, 13.1.1). */
export function matchesEntityTagStrongly(header: string | null, tag: string): boolean {
  return isNamed(header, tag, /W\/"[^"]*"|("[^"]*")/g)
}

function isNamed(header: string | null, tag: string, pattern: RegExp): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return [...header.matchAll(pattern)].some(([, candidate]) => candidate === tag)
}
