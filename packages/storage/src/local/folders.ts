import { mkdir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { combineRuns } from '@quillgate/server/core'
import { io } from '../storage-errors.ts'
import { parseStorageKey } from '../storage-key.ts'
import { syncFolder, unlessExists, unlessMissing } from './file-system.ts'

const MAX_FOLDERS = 1000

/** Finds and creates the folders of keys in a root folder. Rejects links that leave the root. */
export class Folders {
  readonly #root: string
  /** The real paths of folders, by path. Contains only folders whose names are synced to disk. */
  readonly #known = new Map<string, string>()
  readonly #syncs = new Map<string, () => Promise<void>>()

  constructor(root: string) {
    this.#root = root
  }

  /** Returns the real path of a key, or null if the folder of the key is missing. */
  async locate(key: string): Promise<string | null> {
    const { path, name } = this.#split(key)
    return io(async () => {
      const root = await realpath(this.#root).catch(unlessMissing)
      const folder = root && (await realpath(path).catch(unlessMissing))
      if (!root || !folder) return null
      assertInside(root, folder)
      return join(folder, name)
    })
  }

  /** Returns the real path of a key, and creates missing folders. */
  async make(key: string): Promise<string> {
    const { path, segments, name } = this.#split(key)
    const known = this.#known.get(path)
    return io(async () => {
      // Checks the real path each time, because the folder may have been removed or become a link.
      if (known !== undefined && (await realpath(path).catch(unlessMissing)) === known)
        return join(known, name)
      const folder = await this.#makeAll(segments)
      remember(this.#known, path, folder)
      return join(folder, name)
    })
  }

  /** Concurrent calls share one sync. */
  sync(folder: string): Promise<void> {
    const sync = this.#syncs.get(folder) ?? combineRuns(() => syncFolder(folder))
    remember(this.#syncs, folder, sync)
    return io(sync)
  }

  #split(key: string): { path: string; segments: readonly string[]; name: string } {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    return { path: join(this.#root, ...segments), segments, name }
  }

  // Creates the folders one by one and checks each, so that no folder is created outside of the
  // root. Syncs existing folders too, because another process may have just created them.
  async #makeAll(segments: readonly string[]): Promise<string> {
    const first = await mkdir(this.#root, { recursive: true, mode: 0o700 })
    for (let made = this.#root; first && made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made))
    const root = await realpath(this.#root)
    let folder = root
    for (const segment of segments) {
      const parent = folder
      await mkdir(join(parent, segment), { mode: 0o700 }).catch(unlessExists)
      folder = await realpath(join(parent, segment))
      assertInside(root, folder)
      await syncFolder(parent)
    }
    return folder
  }
}

function assertInside(root: string, path: string): void {
  const way = relative(root, path)
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Error(`A symbolic link leads out of ${root} to ${path}`)
}

// Clears a full map, which is rare: by default, there is one folder for uploads and one folder per
// month.
function remember<Value>(known: Map<string, Value>, folder: string, value: Value): void {
  if (known.size >= MAX_FOLDERS && !known.has(folder)) known.clear()
  known.set(folder, value)
}
