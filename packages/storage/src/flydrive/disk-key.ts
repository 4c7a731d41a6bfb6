import { isStorageKey } from '../storage-key.ts'

// flydrive accepts only ASCII characters. Other characters are encoded and enclosed in "!", because
// flydrive accepts "!", but keys never contain it.
const FOREIGN = /[^ -~]+/g
const ENCLOSED = /!([\w-]+)!/g

const MAX_NAME = 240 // File systems allow 255 bytes. A longer name is split into nested folders.
const CONTINUED = '!!/'

/**
 * Converts a key to its name on a disk. Also accepts a prefix with a final slash. A sequence of
 * non-ASCII characters becomes the base64url of its UTF-8 bytes.
 *
 * @example
 * toDiskKey('tmp/фото.png') // 'tmp/!0YTQvtGC0L4!.png'
 */
export function toDiskKey(key: string): string {
  const encode = (run: string): string => `!${Buffer.from(run).toString('base64url')}!`
  return key
    .split('/')
    .map((segment) => segment.replace(FOREIGN, encode).match(NAMES)?.join(CONTINUED) ?? '')
    .join('/')
}

const NAMES = new RegExp(`.{1,${MAX_NAME}}`, 'g')

/** Converts a name on a disk to its key. If no key has this name, returns null. */
export function fromDiskKey(name: string): string | null {
  const key = name
    .replaceAll(CONTINUED, '')
    .replace(ENCLOSED, (_, run: string) => Buffer.from(run, 'base64url').toString())
  return isStorageKey(key) && toDiskKey(key) === name ? key : null
}
