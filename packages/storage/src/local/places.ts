import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { combineRuns } from '@quillgate/server/core'
import { io, storageFailed } from '../storage-errors.ts'
import { parseStorageKey } from '../storage-key.ts'
import { isInside, makeFolders, syncFolder, unlessMissing } from './file-system.ts'

/** As many folders are remembered. */
const MAX_FOLDERS = 100

/** Where the objects of a folder are: each key has its place below the root, and no link leads out of it. */
export class Places {
  readonly #root: string
  /** Folders whose names are known to be durable. */
  readonly #durable = new Set<string>()
  /** Real paths of folders in which objects were written, by their paths: they were below the root then. */
  readonly #known = new Map<string, string>()
  readonly #syncs = new Map<string, () => Promise<void>>()

  constructor(root: string) {
    this.#root = root
  }

  /** The real path of a key; null when its folder is missing. */
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

  /** The real path of a key, whose folders are made where they are missing. */
  async make(key: string): Promise<string> {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    const folder = join(this.#root, ...segments)
    const known = this.#known.get(folder)
    // Looked at each time: it may have been removed since, or a link may have taken its place.
    if (known !== undefined && (await io(() => realpath(folder).catch(unlessMissing))) === known)
      return join(known, name)
    await io(() => makeFolders(this.#root, segments, this.#durable))
    const path = await this.locate(key)
    if (!path)
      throw storageFailed(new Error(`The folder of ${key} was removed while it was written`))
    remember(this.#known, folder, dirname(path))
    return path
  }

  /** Makes the names in a folder durable. Who asks at once shares the sync. */
  sync(folder: string): Promise<void> {
    const sync = this.#syncs.get(folder) ?? combineRuns(() => syncFolder(folder))
    remember(this.#syncs, folder, sync)
    return sync()
  }
}

/** Keeps what a folder is known for: with the default paths there is one for all uploads, and one a month. */
function remember<Value>(known: Map<string, Value>, folder: string, value: Value): void {
  if (known.size >= MAX_FOLDERS && !known.has(folder)) known.clear()
  known.set(folder, value)
}
