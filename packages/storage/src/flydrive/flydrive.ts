import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { checks, field, type Input, parse, required, type Values } from '@quillgate/server/core'
import type { Disk, DriveFile } from 'flydrive'
import type { ObjectMetaData } from 'flydrive/types'
import { KeyLocks } from '../key-locks.ts'
import { writeFile } from '../local/write-file.ts'
import type {
  ByteRange,
  SignedUrlOptions,
  Storage,
  StoredBody,
  StoredObject,
  WriteResult,
} from '../storage.ts'
import { io, storageConflict, storageFailed, toStorageError } from '../storage-errors.ts'
import { parseStorageKey, parseStoragePrefix } from '../storage-key.ts'
import { toStream } from '../to-stream.ts'
import { fromDiskKey, toDiskKey } from './disk-key.ts'

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
] as const satisfies readonly (keyof Disk)[]

/** The methods of flydrive's `Disk` that {@link flydrive} uses. */
export type FlydriveDisk = Pick<Disk, (typeof METHODS)[number]>

const OPTIONS = {
  /** True if the disk can sign URLs, like the disks of S3 and Google Cloud Storage. */
  signedUrls: field(checks.boolean, false),
}

/**
 * Creates a storage on a disk of the package flydrive, which AdonisJS uses.
 *
 * A disk has limits that the other storages do not have. It has no conditional writes, so two
 * processes may replace each other's objects. It cannot read ranges, so the bytes before a range
 * are read and discarded. Use `localFiles` instead of the driver `fs`, because `fs` shows
 * incomplete objects and does not sync them to disk.
 *
 * @param disk a `Disk` that only this storage uses
 * @throws ConfigurationError for a wrong disk or option
 * @example
 * const storage = flydrive(new Disk(new S3Driver({ bucket: 'media', visibility: 'private', … })))
 */
export function flydrive(disk: FlydriveDisk, options: Input<typeof OPTIONS> = {}): Storage {
  parse({ disk: required(checks.has<FlydriveDisk>(METHODS)) }, { disk }, 'flydrive')
  return new FlydriveStorage(disk, parse(OPTIONS, options, 'flydrive'))
}

// The limit in bytes for bodies in memory. A larger body is streamed from the file. A smaller body
// is read into memory, so that the SDK of S3 can repeat the request.
const MEMORY = 1024 * 1024

class FlydriveStorage implements Storage {
  readonly signedUrl?: NonNullable<Storage['signedUrl']>
  readonly #disk: FlydriveDisk
  readonly #locks = new KeyLocks()

  constructor(disk: FlydriveDisk, { signedUrls }: Values<typeof OPTIONS>) {
    this.#disk = disk
    if (signedUrls) this.signedUrl = (key, options) => this.#sign(key, options)
  }

  async write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    { type }: { readonly type: string },
  ): Promise<WriteResult> {
    parseStorageKey(key)
    // Saves the whole body in a file first, because a disk may show an incomplete object, and S3
    // needs the size before the body.
    const path = join(tmpdir(), `quillgate-${randomUUID()}.part`)
    try {
      const result = await writeFile(path, body, { durable: false })
      await this.#locks.run(key, () => this.#store(key, path, result.size, type))
      return result
    } finally {
      await io(() => rm(path, { force: true }))
    }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const object = await this.stat(key)
    if (!object) return null
    const { size } = object
    const start = range?.start ?? 0
    const end = Math.min(range?.end ?? size, size - 1)
    if (start > end) return { size, body: ReadableStream.from<Uint8Array>([]) }
    const source = await io(() => this.#disk.getStream(toDiskKey(key)))
    return { size, body: toStream(readRange(source, start, end), () => source.destroy()) }
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
      if (!target) await this.#copyToFree(from, to, source.size)
      return true
    })
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
      throw toStorageError(error)
    }
  }

  // Lists folder by folder, because a recursive listing of `a` may include `ab/c`.
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
          const object = await this.#describe(item)
          if (object) yield object
        }
      }
      paginationToken = page.paginationToken
    } while (paginationToken !== undefined)
  }

  // Returns null if the file is missing or its name is not the name of a key. Requests the size if
  // it is missing, because flydrive omits it on S3.
  async #describe(file: DriveFile): Promise<StoredObject | null> {
    const key = fromDiskKey(file.key)
    if (key === null) return null
    const listed = await file.getMetaData().catch(() => null)
    return listed && Number.isSafeInteger(listed.contentLength)
      ? toObject(key, listed)
      : this.stat(key)
  }

  async #store(key: string, path: string, size: number, type: string): Promise<void> {
    if (await this.stat(key)) throw storageConflict(key)
    const name = toDiskKey(key)
    const options = { contentType: type, contentLength: size }
    try {
      if (size <= MEMORY) await this.#disk.put(name, await readFile(path), options)
      else await this.#disk.putStream(name, createReadStream(path), options)
      const stored = await this.stat(key)
      if (stored?.size !== size)
        throw new Error(`The disk has stored ${stored?.size ?? 0} of ${size} bytes of ${key}`)
    } catch (error) {
      await this.#disk.delete(name).catch(() => {})
      throw storageFailed(error)
    }
  }

  // If the copy fails, removes the incomplete copy, unless the source is missing. In that case,
  // another process may have moved the object, and the target may be the only copy.
  async #copyToFree(from: string, to: string, size: number): Promise<void> {
    let failure: unknown = new Error(`The disk has not copied all of ${from}`)
    try {
      await this.#disk.copy(toDiskKey(from), toDiskKey(to))
    } catch (error) {
      failure = error
    }
    const target = await this.stat(to)
    if (target?.size === size) return
    if (target && (await this.stat(from))) await this.#disk.delete(toDiskKey(to)).catch(() => {})
    throw storageFailed(failure)
  }

  async #sign(key: string, { expiresIn, type, disposition }: SignedUrlOptions): Promise<string> {
    const name = toDiskKey(parseStorageKey(key))
    const options = { expiresIn, contentType: type, contentDisposition: disposition }
    return io(() => this.#disk.getSignedUrl(name, options))
  }

  // If a folder of the path is a file, returns false. The driver `fs` throws an error in this case.
  #exists(name: string): Promise<boolean> {
    return this.#disk.exists(name).catch((error: { cause?: { code?: string } }) => {
      if (error.cause?.code === 'ENOTDIR') return false
      throw error
    })
  }
}

async function* readRange(
  source: Readable,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let position = 0
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    const first = position
    position += chunk.byteLength
    if (position > start) yield chunk.subarray(Math.max(0, start - first), end + 1 - first)
    if (position > end) return
  }
  throw new Error(`The disk returned ${position} bytes instead of at least ${end + 1}`)
}

function toObject(
  key: string,
  { contentLength: size, lastModified }: ObjectMetaData,
): StoredObject {
  // Rounds down to seconds, because some services return milliseconds only in listings.
  return { key, size, modifiedAt: Math.floor(lastModified.getTime() / 1000) * 1000 }
}
