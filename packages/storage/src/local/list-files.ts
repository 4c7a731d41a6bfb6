import { randomUUID } from 'node:crypto'
import { lstat, opendir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredObject } from '../storage.ts'
import { isKeySegment } from '../storage-key.ts'
import { statFile, unlessMissing } from './file-system.ts'

const PARTIAL_NAME = /^\.[0-9a-f-]{36}\.part$/

// In milliseconds. The process of an older one must have ended.
const PARTIAL_MAX_AGE = 24 * 60 * 60 * 1000

/** Returns the name of a temporary file, which is not a valid name of an object. */
export function partialName(): string {
  return `.${randomUUID()}.part`
}

/** Lists the objects in a folder and below, and removes abandoned partial files. */
export async function* listFiles(
  folder: string,
  prefix: string,
  clock: () => number,
): AsyncGenerator<StoredObject> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (PARTIAL_NAME.test(entry.name)) await removeAbandoned(path, clock)
    if (!isKeySegment(entry.name)) continue
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory()) yield* listFiles(path, `${key}/`, clock)
    const object = entry.isFile() ? await statFile(key, path) : null
    if (object) yield object
  }
}

/** Removes abandoned partial files from one folder. */
export async function removeAbandonedIn(folder: string, clock: () => number): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (PARTIAL_NAME.test(name)) await removeAbandoned(join(folder, name), clock)
  }
}

async function removeAbandoned(path: string, clock: () => number): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing)
  if (stats && stats.mtimeMs < clock() - PARTIAL_MAX_AGE) await unlink(path).catch(unlessMissing)
}
