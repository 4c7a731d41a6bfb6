import type { ByteRange } from '@quillgate/storage'
import { editorError } from '../errors.ts'

/** Evaluates request conditions (RFC 9110, 13.2.2). Returns true for status 304. Throws 412. */
export function isKnown({ headers }: Request, tag: string): boolean {
  const condition = headers.get('if-match')
  // `if-match` uses the strong comparison, in which a weak tag never matches.
  if (condition !== null && !names(condition, tag, /W\/"[^"]*"|("[^"]*")/g)) {
    const detail = 'The file differs from the version in if-match. Load it again.'
    throw editorError('precondition_failed', detail)
  }
  const known = headers.get('if-none-match')
  return known !== null && names(known, tag, /(?:W\/)?("[^"]*")/g)
}

function names(header: string, tag: string, pattern: RegExp): boolean {
  if (header.trim() === '*') return true
  return [...header.matchAll(pattern)].some(([, candidate]) => candidate === tag)
}

/** Returns the requested range. For the whole file, returns null. */
export function rangeOf(request: Request, size: number, tag: string | null): ByteRange | null {
  const condition = request.headers.get('if-range')
  if (request.method !== 'GET' || (condition !== null && condition !== tag)) return null
  return parseByteRange(request.headers.get('range'), size)
}

/** Parses `Range` (RFC 9110, 14.2). Returns null unless it is one valid range. May throw 416. */
export function parseByteRange(header: string | null, size: number): ByteRange | null {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  if (start <= end) return { start, end }
  const detail = `The file has ${size} bytes. Request a range within this size.`
  const headers = { 'content-range': `bytes */${size}` }
  throw editorError('range_not_satisfiable', detail, { headers })
}
