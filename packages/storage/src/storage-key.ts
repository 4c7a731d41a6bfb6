import type { QuillgateError } from '@quillgate/server/core'
import { storageError } from './storage-errors.ts'

/** Longest key in bytes of UTF-8; S3 allows 1,024, and a prefix must still fit. */
export const MAX_KEY_BYTES = 900

/** Longest segment in bytes of UTF-8: what file systems take (255), less the room for a temporary name. */
const MAX_SEGMENT_BYTES = 240

// Marks belong to letters (Hindi, Thai and decomposed accents need them). Nothing else passes: no blanks, no
// backslash, no colon, no control or bidi character, and no `%`, so that a key means the same on every system.
const SEGMENT = /^[\p{L}\p{M}\p{N}._-]+$/u

/**
 * True when this segment of a path may stand in a key: letters of any script, digits, `.`, `_` and `-`. It neither
 * begins with a dot (hidden and relative names, our temporary files) nor ends with one (Windows drops it).
 */
export function isKeySegment(segment: string): boolean {
  return (
    SEGMENT.test(segment) &&
    !segment.startsWith('.') &&
    !segment.endsWith('.') &&
    segment.isWellFormed() &&
    Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES
  )
}

/** True when this string is a key that every storage accepts. */
export function isStorageKey(key: string): boolean {
  return key !== '' && Buffer.byteLength(key) <= MAX_KEY_BYTES && key.split('/').every(isKeySegment)
}

/**
 * Gives back a valid key.
 *
 * @throws QuillgateError `invalid_storage_key` (400) for anything else: empty, absolute, with `..`, a backslash, a
 * control character, an empty segment …
 */
export function parseStorageKey(key: string): string {
  if (typeof key === 'string' && isStorageKey(key)) return key
  throw invalidKey(
    'A storage key consists of segments of letters, digits, ".", "_" and "-", joined by "/".',
  )
}

/**
 * Gives back a valid prefix for listing: a key and a final `/`.
 *
 * @throws QuillgateError `invalid_storage_key` (400)
 */
export function parseStoragePrefix(prefix: string): string {
  if (typeof prefix === 'string' && prefix.endsWith('/') && isStorageKey(prefix.slice(0, -1)))
    return prefix
  throw invalidKey('A storage prefix is a storage key followed by "/".')
}

function invalidKey(detail: string): QuillgateError {
  return storageError('invalid_storage_key', detail)
}
