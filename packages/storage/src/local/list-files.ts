import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredObject } from '../storage.ts'
import { isKeySegment } from '../storage-key.ts'
import { isFolder, statFile, unlessMissing } from './file-system.ts'
import { isPartialName, removeAbandoned } from './partial-files.ts'

/**
 * Lists the objects in a folder and below, and removes abandoned partial files.
 *
 * @param prefix - the prefix of the keys in this folder, with a final slash
 */
export async function* listFiles(
  folder: string,
  prefix: string,
  clock: () => number,
): AsyncGenerator<StoredObject> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (isPartialName(entry.name)) await removeAbandoned(path, clock)
    if (!isKeySegment(entry.name)) continue
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory()) yield* listFiles(path, `${key}/`, clock)
    const object = entry.isFile() ? await statFile(key, path) : null
    if (object) yield object
  }
}

/**
 * Removes abandoned partial files from the folders above one. These folders may never be listed
 * themselves.
 *
 * @param folder - its key, without a final slash
 */
export async function tidyAbove(root: string, folder: string, clock: () => number): Promise<void> {
  let above = (await realpath(root).catch(unlessMissing)) ?? null
  for (const segment of folder.split('/')) {
    if (!above || !(await isFolder(above))) return
    for await (const { name } of await opendir(above)) {
      if (isPartialName(name)) await removeAbandoned(join(above, name), clock)
    }
    above = join(above, segment)
  }
}
