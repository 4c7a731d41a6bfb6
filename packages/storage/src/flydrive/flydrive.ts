import { tmpdir } from 'node:os'
import {
  boolean,
  field,
  has,
  type Input,
  isQuillgateError,
  matching,
  optional,
  parse,
  required,
  type Values,
} from '@quillgate/server/core'
import { KeyLocks } from '../key-locks.ts'
import { checkExpiry } from '../signed-url.ts'
import type {
  ByteRange,
  SignedUrlOptions,
  Storage,
  StoredBody,
  StoredObject,
  WriteResult,
} from '../storage.ts'
import { io, storageConflict, storageFailed } from '../storage-errors.ts'
import { parseStorageKey, parseStoragePrefix } from '../storage-key.ts'
import type { FlydriveDisk, FlydriveFile, FlydriveMetaData } from './disk.ts'
import { fromDiskKey, toDiskKey } from './disk-key.ts'
import { readRange } from './read-range.ts'
import { type Spooled, spool } from './spool.ts'

const OPTIONS = {
  /** True: the disk signs URLs (those of S3 and Google Cloud Storage do), and the storage has `signedUrl`. */
  signedUrls: field(boolean, false),
  /** Folder for bodies of more than 1 MiB on their way to the disk; by default that of the operating system. */
  temporaryDirectory: optional(matching(/./s, 'must name a folder')),
}

/** Options of {@link flydrive}. */
export type FlydriveOptions = Input<typeof OPTIONS>

/**
 * Keeps objects on a disk of the package flydrive, as AdonisJS has them.
 *
 * A disk can do less than the other storages: it stores without conditions, so only writers of one process are kept
 * from replacing each other's objects; it reads no ranges, so what comes before one is read and thrown away; and its
 * driver `fs` shows objects while it writes them and does not sync, for which there is `localFiles`.
 *
 * @param disk a `Disk`, whose other files are elsewhere
 * @throws ConfigurationError
 * @example
 * const storage = flydrive(new Disk(new S3Driver({ bucket: 'media', visibility: 'private', … })))
 */
export function flydrive(disk: FlydriveDisk, options: FlydriveOptions = {}): Storage {
  parse({ disk: required(has<FlydriveDisk>(...METHODS)) }, { disk }, 'flydrive')
  return new FlydriveStorage(disk, parse(OPTIONS, options, 'flydrive'))
}

const METHODS = [
  ...[
    'exists',
    'getStream',
    'getMetaData',
    'put',
    'putStream',
    'copy',
    'delete',
    'getSignedUrl',
    'listAll',
  ],
] as const satisfies readonly (keyof FlydriveDisk)[]

class FlydriveStorage implements Storage {
  readonly signedUrl?: NonNullable<Storage['signedUrl']>
  readonly #disk: FlydriveDisk
  readonly #temporaryDirectory: string
  readonly #locks = new KeyLocks()

  constructor(
    disk: FlydriveDisk,
    { signedUrls, temporaryDirectory = tmpdir() }: Values<typeof OPTIONS>,
  ) {
    this.#disk = disk
    this.#temporaryDirectory = temporaryDirectory
    if (signedUrls) this.signedUrl = (key, options) => this.#sign(key, options)
  }

  async write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    { type }: { readonly type: string },
  ): Promise<WriteResult> {
    parseStorageKey(key)
    // A disk may show what it has got so far, and S3 wants to know the size first: the body comes in before anything is stored.
    const spooled = await spool(body, this.#temporaryDirectory)
    try {
      await this.#locks.run(key, () => this.#store(key, spooled, type))
      return { size: spooled.size, sha256: spooled.sha256 }
    } finally {
      await io(() => spooled.remove())
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const object = await this.stat(key)
    if (!object) return null
    const { size } = object
    const wanted = { start: range?.start ?? 0, end: Math.min(range?.end ?? size, size - 1) }
    if (wanted.start > wanted.end) return { size, body: ReadableStream.from<Uint8Array>([]) }
    const source = await io(() => this.#disk.getStream(toDiskKey(key)))
    return { size, body: readRange(source, wanted) }
  }

  async stat(key: string): Promise<StoredObject | null> {
    const name = toDiskKey(parseStorageKey(key))
    return io(async () =>
      (await this.#exists(name)) ? toObject(key, await this.#disk.getMetaData(name)) : null,
    )
  }

  async copy(from: string, to: string): Promise<boolean> {
    parseStorageKey(to)
    const source = await this.stat(from)
    if (!source) return false
    return this.#locks.run(to, async () => {
      const target = await this.stat(to)
      if (target && target.size !== source.size) throw storageConflict(to)
      if (!target) await this.#copyFree(from, to, source.size)
      return true
    })
  }

  /**
   * What is torn is removed only while the source is there: another process may have copied the object meanwhile, and have
   * removed the source, which was the only other one.
   */
  async #copyFree(from: string, to: string, size: number): Promise<void> {
    try {
      await this.#disk.copy(toDiskKey(from), toDiskKey(to))
      if ((await this.stat(to))?.size !== size)
        throw new Error(`The disk has not copied all of ${from}`)
    } catch (error) {
      const target = await this.stat(to)
      if (target?.size === size) return
      if (target && (await this.stat(from))) await this.#disk.delete(toDiskKey(to)).catch(() => {})
      throw storageFailed(error)
    }
  }

  async remove(key: string): Promise<boolean> {
    if (!(await this.stat(key))) return false
    await io(() => this.#disk.delete(toDiskKey(key)))
    return true
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = toDiskKey(parseStoragePrefix(prefix)).slice(0, -1)
    try {
      yield* this.#walk(folder)
    } catch (error) {
      throw isQuillgateError(error) ? error : storageFailed(error)
    }
  }

  /** Folder by folder, for a disk finds `ab/c` too when it is asked for all that begins with `a`. */
  async *#walk(folder: string): AsyncGenerator<StoredObject> {
    let paginationToken: string | undefined
    do {
      const page = await this.#disk.listAll(
        folder,
        paginationToken === undefined ? {} : { paginationToken },
      )
      for (const item of page.objects) {
        if (!item.isFile) yield* this.#walk(item.prefix)
        else {
          const key = fromDiskKey(item.key)
          const object = key === null ? null : await this.#describe(key, item)
          if (object) yield object
        }
      }
      paginationToken = page.paginationToken
    } while (paginationToken !== undefined)
  }

  /**
   * What a listing tells of a file, or, where it is silent (S3: about sizes), the file itself; null when it has been
   * removed since.
   */
  async #describe(key: string, file: FlydriveFile): Promise<StoredObject | null> {
    const listed = await file.getMetaData().catch(() => null)
    return listed && Number.isSafeInteger(listed.contentLength)
      ? toObject(key, listed)
      : this.stat(key)
  }

  async #store(key: string, spooled: Spooled, type: string): Promise<void> {
    if (await this.stat(key)) throw storageConflict(key)
    const { bytes, size } = spooled
    const options = { contentType: type, contentLength: size }
    await this.#whole(key, size, () =>
      bytes
        ? this.#disk.put(toDiskKey(key), bytes, options)
        : this.#disk.putStream(toDiskKey(key), spooled.open(), options),
    )
  }

  /** Stores an object under a key that was free; what does not become whole is removed. */
  async #whole(key: string, size: number, store: () => Promise<void>): Promise<void> {
    try {
      await store()
      const stored = await this.stat(key)
      if (stored?.size !== size)
        throw new Error(`The disk has stored ${stored?.size ?? 0} of ${size} bytes of ${key}`)
    } catch (error) {
      await this.#disk.delete(toDiskKey(key)).catch(() => {})
      throw storageFailed(error)
    }
  }

  async #sign(key: string, { expiresIn, type, disposition }: SignedUrlOptions): Promise<string> {
    const name = toDiskKey(parseStorageKey(key))
    checkExpiry(expiresIn)
    return io(() =>
      this.#disk.getSignedUrl(name, {
        expiresIn,
        contentType: type,
        contentDisposition: disposition,
      }),
    )
  }

  /** True for a file. The driver `fs` finds it an error that a folder of the path is a file. */
  #exists(name: string): Promise<boolean> {
    return this.#disk.exists(name).catch((error: unknown) => {
      if (error instanceof Error && error.cause instanceof Error && 'code' in error.cause) {
        if (error.cause.code === 'ENOTDIR') return false
      }
      throw error
    })
  }
}

function toObject(
  key: string,
  { contentLength: size, lastModified }: FlydriveMetaData,
): StoredObject {
  // A service may tell milliseconds in a listing and seconds of a single object: they shall tell the same.
  return { key, size, modifiedAt: Math.floor(lastModified.getTime() / 1000) * 1000 }
}
