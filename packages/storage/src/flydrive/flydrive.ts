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
  /**
   * Whether the disk can sign URLs (those of S3 and Google Cloud Storage can), so that the storage
   * has `signedUrl`.
   */
  signedUrls: field(boolean, false),
  /**
   * The folder for temporary copies of bodies of more than 1 MiB; by default that of the operating
   * system.
   */
  temporaryDirectory: optional(matching(/./s, 'must name a folder')),
}

/** Options of {@link flydrive}. */
export type FlydriveOptions = Input<typeof OPTIONS>

/**
 * Stores objects on a disk of the package flydrive, which AdonisJS uses.
 *
 * A disk can do less than the other storages. It cannot write on a condition, so two processes may
 * replace each other's objects. It cannot read ranges, so the bytes before a range are read and
 * discarded. Its driver `fs` shows objects while they are written, and does not sync them; use
 * `localFiles` instead.
 *
 * @param disk - a `Disk` that is used for nothing else
 * @throws ConfigurationError
 * @example
 * const storage = flydrive(new Disk(new S3Driver({ bucket: 'media', visibility: 'private', … })))
 */
export function flydrive(disk: FlydriveDisk, options: FlydriveOptions = {}): Storage {
  parse({ disk: required(has<FlydriveDisk>(...METHODS)) }, { disk }, 'flydrive')
  return new FlydriveStorage(disk, parse(OPTIONS, options, 'flydrive'))
}

const METHODS = [
  'exists',
  'getStream',
  'getMetaData',
  'put',
  'putStream',
  'copy',
  'delete',
  'getSignedUrl',
  'listAll',
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
    // The whole body is read first, because a disk may show an incomplete object, and S3 needs the
    // size.
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
   * Copies to a free key. An incomplete copy is removed only while the source exists: another
   * process may have copied the object and removed the source, so that the target is the only copy.
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

  /** Lists folder by folder, because a recursive listing of `a` may include `ab/c`. */
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
   * Returns the metadata from a listing, or from the file itself if the listing lacks it (S3 lacks
   * sizes). Returns null if the file has been removed meanwhile.
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

  /** Stores an object under a free key. An incomplete object is removed. */
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

  /** Whether a file exists. The driver `fs` throws if a folder of the path is a file. */
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
  // A service may return milliseconds in listings, but seconds for a single object.
  return { key, size, modifiedAt: Math.floor(lastModified.getTime() / 1000) * 1000 }
}
