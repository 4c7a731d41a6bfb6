import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { combineRuns } from '@quillgate/server/core'
import { io, storageFailed } from '../storage-errors.ts'
import { parseStorageKey } from '../storage-key.ts'
import { isInside, makeFolders, syncFolder, unlessMissing } from './file-system.ts'

/** The number of folders that are cached. */
const MAX_FOLDERS = 100

/**
 * Finds and creates the paths of keys below a root folder. Links that lead out of the root are
 * rejected.
 */
export class Places {
  readonly #root: string
  /** Folders that have been synced. */
  readonly #durable = new Set<string>()
  /**
   * The real paths of folders in which objects were written, by path. They were below the root at
   * that time.
   */
  readonly #known = new Map<string, string>()
  readonly #syncs = new Map<string, () => Promise<void>>()

  constructor(root: string) {
    this.#root = root
  }

  /** Returns the real path of a key; null if its folder is missing. */
  async locate(key: string): Promise<string | null> {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    return io(async () => {
      const root = await realpath(this.#root).catch(unlessMissing)
      const folder = root && (await realpath(join(root, ...segments)).catch(unlessMissing))
      if (!root || !folder) return null
      if (!isInside(root, folder))
        throw new Error(`A symbolic link leads out of ${this.#root}: ${segments.join('/')}`)
      return join(folder, name)
    })
  }

  /** Returns the real path of a key, and creates missing folders. */
  async make(key: string): Promise<string> {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    const folder = join(this.#root, ...segments)
    const known = this.#known.get(folder)
    // Checked each time, because the folder may have been removed or replaced by a link.
    if (known !== undefined && (await io(() => realpath(folder).catch(unlessMissing))) === known)
      return join(known, name)
    await io(() => makeFolders(this.#root, segments, this.#durable))
    const path = await this.locate(key)
    if (!path)
      throw storageFailed(new Error(`The folder of ${key} was removed while it was written`))
    remember(this.#known, folder, dirname(path))
    return path
  }

  /** Makes the names in a folder durable. Concurrent calls share one sync. */
  sync(folder: string): Promise<void> {
    const sync = this.#syncs.get(folder) ?? combineRuns(() => syncFolder(folder))
    remember(this.#syncs, folder, sync)
    return sync()
  }
}

/**
 * Adds an entry to a cache. With the default paths, there is one folder for all uploads, and one
 * per month.
 */
function remember<Value>(known: Map<string, Value>, folder: string, value: Value): void {
  if (known.size >= MAX_FOLDERS && !known.has(folder)) known.clear()
  known.set(folder, value)
}
