import { isStorageKey } from '../storage-key.ts'

// flydrive takes no letters but those of ASCII. "!", which it takes and our keys never have, encloses the others.
const FOREIGN = /[^ -~]+/g
const ENCLOSED = /!([\w-]+)!/g

/** Longer names do not fit into a file system, so they go on one folder deeper. */
const MAX_NAME = 240
const GOES_ON = '!!/'

/**
 * The name under which a disk keeps a key: runs of letters that are not ASCII become the base64url of their UTF-8.
 *
 * @param key a storage key, or a prefix with its final slash
 * @example
 * toDiskKey('tmp/фото.png') // 'tmp/!0YTQvtGC0L4!.png'
 */
export function toDiskKey(key: string): string {
  const encode = (run: string): string => `!${Buffer.from(run).toString('base64url')}!`
  return key
    .split('/')
    .map((segment) => segment.replace(FOREIGN, encode).match(NAMES)?.join(GOES_ON) ?? '')
    .join('/')
}

const NAMES = new RegExp(`.{1,${MAX_NAME}}`, 'g')

/** The key that a disk keeps under this name; null when it is not one of ours. */
export function fromDiskKey(name: string): string | null {
  const key = name
    .replaceAll(GOES_ON, '')
    .replace(ENCLOSED, (_, run: string) => Buffer.from(run, 'base64url').toString())
  return isStorageKey(key) && toDiskKey(key) === name ? key : null
}
