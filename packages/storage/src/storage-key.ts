import { storageError } from './storage-errors.ts'

const MAX_KEY_BYTES = 900 // In bytes of UTF-8. S3 allows 1,024 bytes, including the prefix.

/** The maximum length of a segment in bytes of UTF-8. File systems allow 255 bytes. */
const MAX_SEGMENT_BYTES = 240

// Allows marks (\p{M}), which are parts of letters in Hindi, Thai and decomposed accents. Does not
// allow white space, backslashes, colons, `%`, control characters or bidi characters. Some systems
// treat these characters differently.
const SEGMENT = /^[\p{L}\p{M}\p{N}._-]+$/u

/**
 * Returns true for a valid segment of a key. A segment must not begin with a dot, because such a
 * name is hidden, relative or temporary. It must not end with a dot, because Windows removes it.
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

/** Returns true for a key that every storage accepts. */
export function isStorageKey(key: string): boolean {
  return key !== '' && Buffer.byteLength(key) <= MAX_KEY_BYTES && key.split('/').every(isKeySegment)
}

/**
 * Returns a key, or throws if it is invalid.
 *
 * @throws QuillgateError `invalid_storage_key` (400), for example if the key is empty or absolute,
 * or contains `..`, a backslash, a control character or an empty segment
 */
export function parseStorageKey(key: string): string {
  if (typeof key === 'string' && isStorageKey(key)) return key
  const detail =
    'The storage key is not valid. Use segments of letters, digits, ".", "_" and "-", joined by "/". ' +
    `A segment has at most ${MAX_SEGMENT_BYTES} bytes, and does not begin or end with a dot. ` +
    `The key has at most ${MAX_KEY_BYTES} bytes.`
  throw storageError('invalid_storage_key', detail)
}

/** Returns a prefix (a key and `/`) if it is valid. @throws QuillgateError `invalid_storage_key` */
export function parseStoragePrefix(prefix: string): string {
  if (typeof prefix === 'string' && prefix.endsWith('/') && isStorageKey(prefix.slice(0, -1)))
    return prefix
  const detail = 'The storage prefix is not valid. Use a valid storage key and "/" after it.'
  throw storageError('invalid_storage_key', detail)
}
