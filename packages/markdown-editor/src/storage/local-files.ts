import { randomUUID } from 'node:crypto'
import { lstat, opendir, realpath, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { ConfigurationError, combineRuns, isQuillgateError } from '@quillgate/http'
import {
  io,
  isBetweenDisks,
  isFolder,
  isInside,
  makeFolders,
  openFile,
  statFile,
  syncFolder,
  tryLink,
  unlessMissing,
} from './file-system.ts'
import type { ByteRange, Storage, StoredBody, StoredObject, WriteResult } from './storage.ts'
import { storageConflict, storageFailed } from './storage-errors.ts'
import { isKeySegment, parseStorageKey, parseStoragePrefix } from './storage-key.ts'
import { writeSynced } from './write-synced.ts'

/** Options of {@link localFiles}. */
export interface LocalFilesOptions {
  /**
   * The folder that holds the objects. It is made when it is missing, readable by its owner alone. It may be a symbolic
   * link; links below it are refused.
   */
  readonly directory: string
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

const PARTIAL_NAME = /^\.[0-9a-f-]{36}\.part$/

/** As many folders are remembered. */
const MAX_FOLDERS = 100

/** After this time in milliseconds nobody writes to a partial file any more: its process was killed. */
const PARTIAL_MAX_AGE = 24 * 60 * 60 * 1000

/**
 * Keeps objects as files of one folder, each under its key. For one machine, or several that share a file system
 * with hard links.
 *
 * An object is written under a temporary name beside its place, synced to disk and then linked to its name, which never
 * replaces another file. `list` removes what killed writes left behind a day ago, in its folder and in those above.
 *
 * @throws ConfigurationError when `directory` is empty
 * @example
 * const storage = localFiles({ directory: './data/media' })
 */
export function localFiles(options: LocalFilesOptions): Storage {
  const { directory, clock = Date.now } = options
  if (typeof directory !== 'string' || directory === '') {
    throw new ConfigurationError('localFiles.directory', 'must name a folder', directory)
  }
  return new LocalFiles(resolve(directory), clock)
}

class LocalFiles implements Storage {
  readonly #root: string
  readonly #clock: () => number
  /** Folders whose names are known to be durable. */
  readonly #durable = new Set<string>()
  /** Real paths of folders in which objects were written, by their paths: they were below the root then. */
  readonly #places = new Map<string, string>()
  readonly #syncs = new Map<string, () => Promise<void>>()

  constructor(root: string, clock: () => number) {
    this.#root = root
    this.#clock = clock
  }

  async write(key: string, body: AsyncIterable<Uint8Array>): Promise<WriteResult> {
    const path = await this.#makePlace(key)
    const folder = dirname(path)
    const partial = join(folder, `.${randomUUID()}.part`)
    const removePartial = (): Promise<void> => io(() => unlink(partial).catch(unlessMissing))
    let isNamed = false
    try {
      const result = await writeSynced(partial, body)
      isNamed = await tryLink(partial, path)
      if (!isNamed) throw storageConflict(key)
      // A partial name that a power failure brings back is removed by `list`: it needs no sync of its own.
      await Promise.all([removePartial(), io(() => this.#syncFolder(folder))])
      return result
    } catch (error) {
      await removePartial().catch(() => {}) // The first error says more.
      if (isNamed) await unlink(path).catch(() => {})
      throw error
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const path = await this.#locate(key)
    const handle = path && (await io(() => openFile(path)))
    if (!handle) return null
    const { size } = await io(() => handle.stat())
    const stream = handle.createReadStream(range ? { start: range.start, end: range.end } : {})
    return { size, body: Readable.toWeb(stream) as ReadableStream<Uint8Array> }
  }

  async stat(key: string): Promise<StoredObject | null> {
    const path = await this.#locate(key)
    return path ? io(() => statFile(key, path)) : null
  }

  async copy(from: string, to: string): Promise<boolean> {
    parseStorageKey(to)
    const source = await this.#locate(from)
    const original = source && (await io(() => statFile(from, source)))
    if (!source || !original) return false
    const target = await this.#makePlace(to)
    // Objects never change, so a second name for the same bytes is a copy. Between two disks the bytes must travel.
    const linked = await tryLink(source, target).catch((error: unknown) => {
      if (isBetweenDisks(error)) return null
      throw error
    })
    if (linked === null) return this.#copyBytes(from, to, original.size)
    await io(() => this.#syncFolder(dirname(target)))
    return linked || this.#isCopied(to, original.size)
  }

  async remove(key: string): Promise<boolean> {
    const path = await this.#locate(key)
    if (!path || !(await io(() => statFile(key, path)))) return false
    const removed = await io(() => unlink(path).then(() => true, unlessMissing))
    await io(() => this.#syncFolder(dirname(path)))
    return removed ?? false
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = parseStoragePrefix(prefix).slice(0, -1)
    await io(() => this.#tidyAbove(folder))
    const path = await this.#locate(folder)
    if (!path || !(await io(() => isFolder(path)))) return
    try {
      yield* this.#walk(path, prefix)
    } catch (error) {
      throw storageFailed(error)
    }
  }

  async *#walk(folder: string, prefix: string): AsyncGenerator<StoredObject> {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name)
      if (PARTIAL_NAME.test(entry.name)) await this.#removeAbandoned(path)
      if (!isKeySegment(entry.name)) continue
      const key = `${prefix}${entry.name}`
      if (entry.isDirectory()) yield* this.#walk(path, `${key}/`)
      const object = entry.isFile() ? await statFile(key, path) : null
      if (object) yield object
    }
  }

  /** The folders above hold objects too, and nobody may ever list them. */
  async #tidyAbove(folder: string): Promise<void> {
    let above = (await realpath(this.#root).catch(unlessMissing)) ?? null
    for (const segment of folder.split('/')) {
      if (!above || !(await isFolder(above))) return
      for await (const { name } of await opendir(above)) {
        if (PARTIAL_NAME.test(name)) await this.#removeAbandoned(join(above, name))
      }
      above = join(above, segment)
    }
  }

  async #removeAbandoned(path: string): Promise<void> {
    const stats = await lstat(path).catch(unlessMissing)
    if (stats && stats.mtimeMs < this.#clock() - PARTIAL_MAX_AGE) await unlink(path).catch(unlessMissing)
  }

  async #copyBytes(from: string, to: string, size: number): Promise<boolean> {
    const source = await this.read(from)
    if (!source) return false
    try {
      await this.write(to, source.body)
      return true
    } catch (error) {
      if (isQuillgateError(error) && error.code === 'storage_conflict') return this.#isCopied(to, size)
      throw error
    }
  }

  async #isCopied(key: string, size: number): Promise<boolean> {
    if ((await this.stat(key))?.size !== size) throw storageConflict(key)
    return true
  }

  /** The real path of a key; null when its folder is missing. */
  async #locate(key: string): Promise<string | null> {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    return io(async () => {
      const root = await realpath(this.#root).catch(unlessMissing)
      const folder = root && (await realpath(join(root, ...segments)).catch(unlessMissing))
      if (!root || !folder) return null
      if (!isInside(root, folder)) throw new Error(`A symbolic link leads out of ${this.#root}: ${segments.join('/')}`)
      return join(folder, name)
    })
  }

  /** The real path of a key, whose folders are made where they are missing. */
  async #makePlace(key: string): Promise<string> {
    const segments = parseStorageKey(key).split('/')
    const name = segments.pop() ?? ''
    const folder = join(this.#root, ...segments)
    const known = this.#places.get(folder)
    // Looked at each time: it may have been removed since, or a link may have taken its place.
    if (known !== undefined && (await io(() => realpath(folder).catch(unlessMissing))) === known)
      return join(known, name)
    await io(() => makeFolders(this.#root, segments, this.#durable))
    const path = await this.#locate(key)
    if (!path) throw storageFailed(new Error(`The folder of ${key} was removed while it was written`))
    remember(this.#places, folder, dirname(path))
    return path
  }

  /** Makes the names in a folder durable. Who asks at once shares the sync. */
  #syncFolder(folder: string): Promise<void> {
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
