import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, lstat, opendir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { ConfigurationError, isQuillgateError } from '@quillgate/server/core'
import type { ByteRange, Storage, StoredBody, StoredObject, WriteResult } from '../storage.ts'
import { io, storageConflict, toStorageError } from '../storage-errors.ts'
import { isKeySegment, parseStorageKey, parseStoragePrefix } from '../storage-key.ts'
import { codeOf, isFolder, openFile, statFile, unlessExists, unlessMissing } from './file-system.ts'
import { Folders } from './folders.ts'
import { writeFile } from './write-file.ts'

// The error codes of `link` if a hard link is not possible, for example between two disks.
const UNLINKABLE: readonly string[] = ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP']

/**
 * Creates a storage that keeps objects as files in one folder. The path of a file is its key.
 * Several machines can use the folder if they share a file system that supports hard links.
 *
 * An object is written to a temporary file in the same folder and synced to disk. A hard link then
 * gives the file its name. A link never replaces another file. If a process crashes, `list` removes
 * its temporary file after a day.
 *
 * @param directory the folder, which can be a symbolic link. If it is missing, it is created and
 * readable only by its owner. Links inside the folder must not lead out of it.
 * @throws ConfigurationError if `directory` is empty or not a string
 * @example
 * const storage = localFiles('./data/media')
 */
export function localFiles(
  directory: string,
  { clock = Date.now }: { readonly clock?: () => number } = {},
): Storage {
  if (typeof directory !== 'string' || directory === '') {
    throw new ConfigurationError('localFiles.directory', 'must name a folder', directory)
  }
  return new LocalFiles(resolve(directory), clock)
}

class LocalFiles implements Storage {
  readonly #folders: Folders
  readonly #clock: () => number

  constructor(root: string, clock: () => number) {
    this.#folders = new Folders(root)
    this.#clock = clock
  }

  async write(key: string, body: AsyncIterable<Uint8Array>): Promise<WriteResult> {
    const path = await this.#folders.make(key)
    const folder = dirname(path)
    const partial = join(folder, partialName())
    const removePartial = (): Promise<void> => io(() => unlink(partial).catch(unlessMissing))
    let isNamed = false
    try {
      const result = await writeFile(partial, body, { durable: true })
      isNamed = (await io(() => link(partial, path).then(() => true, unlessExists))) ?? false
      if (!isNamed) throw storageConflict(key)
      // Does not sync the removal of the partial file. If a power failure restores the file, `list`
      // removes it.
      await Promise.all([removePartial(), this.#folders.sync(folder)])
      return result
    } catch (error) {
      await removePartial().catch(() => {}) // The first error is more important.
      if (isNamed) await unlink(path).catch(() => {})
      throw error
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const path = await this.#folders.locate(key)
    const handle = path && (await io(() => openFile(path)))
    if (!handle) return null
    const { size } = await io(() => handle.stat())
    const stream = handle.createReadStream(range ? { start: range.start, end: range.end } : {})
    return { size, body: Readable.toWeb(stream) as ReadableStream<Uint8Array> }
  }

  async stat(key: string): Promise<StoredObject | null> {
    const path = await this.#folders.locate(key)
    return path ? io(() => statFile(key, path)) : null
  }

  async copy(from: string, to: string): Promise<boolean> {
    parseStorageKey(to)
    const source = await this.#folders.locate(from)
    const original = source && (await io(() => statFile(from, source)))
    if (!source || !original) return false
    const target = await this.#folders.make(to)
    // Objects never change, so a hard link is as good as a copy.
    await io(async () => {
      try {
        await link(source, target)
      } catch (error) {
        if (UNLINKABLE.includes(codeOf(error) ?? '')) await this.#copyBytes(source, to)
        else unlessExists(error)
      }
    })
    await this.#folders.sync(dirname(target))
    const copied = await this.stat(to)
    if (copied && copied.size !== original.size) throw storageConflict(to)
    return true
  }

  async remove(key: string): Promise<boolean> {
    const path = await this.#folders.locate(key)
    if (!path || !(await io(() => statFile(key, path)))) return false
    const isRemoved = await io(() => unlink(path).then(() => true, unlessMissing))
    await this.#folders.sync(dirname(path))
    return isRemoved ?? false
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const key = parseStoragePrefix(prefix).slice(0, -1)
    const folder = await this.#folders.locate(key)
    try {
      await this.#tidyAbove(key)
      if (!folder || !(await isFolder(folder))) return
      yield* listFiles(folder, prefix, this.#clock)
    } catch (error) {
      throw toStorageError(error)
    }
  }

  // Removes abandoned partial files in the parent folders, for example in the root. `listFiles`
  // does not visit these folders.
  async #tidyAbove(key: string): Promise<void> {
    const segments = key.split('/')
    for (const depth of segments.keys()) {
      const path = await this.#folders.locate(segments.slice(0, depth + 1).join('/'))
      if (path) await removeAbandonedIn(dirname(path), this.#clock)
    }
  }

  async #copyBytes(source: string, to: string): Promise<void> {
    try {
      await this.write(to, createReadStream(source))
    } catch (error) {
      if (!(isQuillgateError(error) && error.code === 'storage_conflict')) throw error
    }
  }
}

const PARTIAL_NAME = /^\.[0-9a-f-]{36}\.part$/

// In milliseconds. A write never takes this long, so the process of an older partial file crashed.
const PARTIAL_MAX_AGE = 24 * 60 * 60 * 1000

/** No object can have this name, because a segment of a key cannot begin with a dot. */
function partialName(): string {
  return `.${randomUUID()}.part`
}

/** Lists the objects in a folder and below, and removes abandoned partial files. */
async function* listFiles(
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

async function removeAbandonedIn(folder: string, clock: () => number): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (PARTIAL_NAME.test(name)) await removeAbandoned(join(folder, name), clock)
  }
}

async function removeAbandoned(path: string, clock: () => number): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing)
  if (stats && stats.mtimeMs < clock() - PARTIAL_MAX_AGE) await unlink(path).catch(unlessMissing)
}
