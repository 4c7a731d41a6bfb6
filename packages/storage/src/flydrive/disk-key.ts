import { isStorageKey } from '../storage-key.ts'

// flydrive accepts only ASCII characters. Other characters are encoded between "!", which flydrive
// accepts and keys never contain.
const FOREIGN = /[^ -~]+/g
const ENCLOSED = /!([\w-]+)!/g

const MAX_NAME = 240 // The limit for file systems. A longer name is split into nested folders.
const CONTINUED = '!!/'

/**
 * Returns the name of a key, or of a prefix with a final slash, on a disk. Runs of non-ASCII
 * letters become the base64url of their UTF-8.
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

/** Returns the key of a name on a disk; null if the name is not the name of a key. */
export function fromDiskKey(name: string): string | null {
  const key = name
    .replaceAll(CONTINUED, '')
    .replace(ENCLOSED, (_, run: string) => Buffer.from(run, 'base64url').toString())
  return isStorageKey(key) && toDiskKey(key) === name ? key : null
}
