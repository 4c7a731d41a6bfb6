import { unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { ConfigurationError, isQuillgateError } from '@quillgate/server/core'
import type { ByteRange, Storage, StoredBody, StoredObject, WriteResult } from '../storage.ts'
import { io, storageConflict, storageFailed } from '../storage-errors.ts'
import { parseStorageKey, parseStoragePrefix } from '../storage-key.ts'
import {
  isBetweenDisks,
  isFolder,
  openFile,
  statFile,
  tryLink,
  unlessMissing,
} from './file-system.ts'
import { listFiles, tidyAbove } from './list-files.ts'
import { partialName } from './partial-files.ts'
import { Places } from './places.ts'
import { writeSynced } from './write-synced.ts'

/** Options of {@link localFiles}. */
export interface LocalFilesOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

/**
 * Stores objects as files of one folder, each under its key. Use it on one machine, or on several
 * that share a file system with hard links.
 *
 * An object is written to a temporary file in the same folder, synced to disk and then linked to
 * its name, which never replaces another file. `list` removes temporary files that crashed
 * processes left more than a day ago, in its folder and in those above.
 *
 * @param directory - created if missing, readable only by its owner. It may be a symbolic link.
 * Links below it that lead out of it are rejected
 * @throws ConfigurationError if `directory` is empty
 * @example
 * const storage = localFiles('./data/media')
 */
export function localFiles(directory: string, options: LocalFilesOptions = {}): Storage {
  if (typeof directory !== 'string' || directory === '') {
    throw new ConfigurationError('localFiles.directory', 'must name a folder', directory)
  }
  return new LocalFiles(resolve(directory), options.clock ?? Date.now)
}

class LocalFiles implements Storage {
  readonly #root: string
  readonly #clock: () => number
  readonly #places: Places

  constructor(root: string, clock: () => number) {
    this.#root = root
    this.#clock = clock
    this.#places = new Places(root)
  }

  async write(key: string, body: AsyncIterable<Uint8Array>): Promise<WriteResult> {
    const path = await this.#places.make(key)
    const folder = dirname(path)
    const partial = join(folder, partialName())
    const removePartial = (): Promise<void> => io(() => unlink(partial).catch(unlessMissing))
    let isNamed = false
    try {
      const result = await writeSynced(partial, body)
      isNamed = await tryLink(partial, path)
      if (!isNamed) throw storageConflict(key)
      // The removal needs no sync: if a power failure restores the partial file, `list` removes it.
      await Promise.all([removePartial(), io(() => this.#places.sync(folder))])
      return result
    } catch (error) {
      await removePartial().catch(() => {}) // The first error is more important.
      if (isNamed) await unlink(path).catch(() => {})
      throw error
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const path = await this.#places.locate(key)
    const handle = path && (await io(() => openFile(path)))
    if (!handle) return null
    const { size } = await io(() => handle.stat())
    const stream = handle.createReadStream(range ? { start: range.start, end: range.end } : {})
    return { size, body: Readable.toWeb(stream) as ReadableStream<Uint8Array> }
  }

  async stat(key: string): Promise<StoredObject | null> {
    const path = await this.#places.locate(key)
    return path ? io(() => statFile(key, path)) : null
  }

  async copy(from: string, to: string): Promise<boolean> {
    parseStorageKey(to)
    const source = await this.#places.locate(from)
    const original = source && (await io(() => statFile(from, source)))
    if (!source || !original) return false
    const target = await this.#places.make(to)
    // Objects never change, so a hard link is a copy. Between two disks, the bytes must be copied.
    const linked = await tryLink(source, target).catch((error: unknown) => {
      if (isBetweenDisks(error)) return null
      throw error
    })
    if (linked === null) return this.#copyBytes(from, to, original.size)
    await io(() => this.#places.sync(dirname(target)))
    return linked || this.#isCopied(to, original.size)
  }

  async remove(key: string): Promise<boolean> {
    const path = await this.#places.locate(key)
    if (!path || !(await io(() => statFile(key, path)))) return false
    const removed = await io(() => unlink(path).then(() => true, unlessMissing))
    await io(() => this.#places.sync(dirname(path)))
    return removed ?? false
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = parseStoragePrefix(prefix).slice(0, -1)
    await io(() => tidyAbove(this.#root, folder, this.#clock))
    const path = await this.#places.locate(folder)
    if (!path || !(await io(() => isFolder(path)))) return
    try {
      yield* listFiles(path, prefix, this.#clock)
    } catch (error) {
      throw storageFailed(error)
    }
  }

  async #copyBytes(from: string, to: string, size: number): Promise<boolean> {
    const source = await this.read(from)
    if (!source) return false
    try {
      await this.write(to, source.body)
      return true
    } catch (error) {
      if (isQuillgateError(error) && error.code === 'storage_conflict')
        return this.#isCopied(to, size)
      throw error
    }
  }

  async #isCopied(key: string, size: number): Promise<boolean> {
    if ((await this.stat(key))?.size !== size) throw storageConflict(key)
    return true
  }
}
