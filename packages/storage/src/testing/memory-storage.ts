import { createHash } from 'node:crypto'
import type { ByteRange, Storage, StoredBody, StoredObject, WriteResult } from '../storage.ts'
import { storageConflict } from '../storage-errors.ts'
import { parseStorageKey, parseStoragePrefix } from '../storage-key.ts'

/** Options of {@link memoryStorage}. */
export interface MemoryStorageOptions {
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

/**
 * Creates a storage for tests, which keeps objects in memory and passes `storageSuite`.
 *
 * @example
 * const storage = memoryStorage()
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  return new MemoryStorage(options.clock ?? Date.now)
}

class MemoryStorage implements Storage {
  readonly #objects = new Map<string, { readonly bytes: Uint8Array; readonly modifiedAt: number }>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  async write(key: string, body: AsyncIterable<Uint8Array>): Promise<WriteResult> {
    parseStorageKey(key)
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(Uint8Array.from(chunk))
    const bytes = Buffer.concat(chunks)
    if (this.#objects.has(key)) throw storageConflict(key)
    this.#objects.set(key, { bytes, modifiedAt: this.#clock() })
    return { size: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    const object = this.#objects.get(parseStorageKey(key))
    if (!object) return null
    const bytes = range ? object.bytes.slice(range.start, range.end + 1) : object.bytes.slice()
    return { size: object.bytes.byteLength, body: new Blob([bytes]).stream() }
  }

  async stat(key: string): Promise<StoredObject | null> {
    const object = this.#objects.get(parseStorageKey(key))
    return object ? { key, size: object.bytes.byteLength, modifiedAt: object.modifiedAt } : null
  }

  async copy(from: string, to: string): Promise<boolean> {
    parseStorageKey(to)
    const source = this.#objects.get(parseStorageKey(from))
    if (!source) return false
    const target = this.#objects.get(to)
    if (target && target.bytes.byteLength !== source.bytes.byteLength) throw storageConflict(to)
    if (!target) this.#objects.set(to, source)
    return true
  }

  async remove(key: string): Promise<boolean> {
    return this.#objects.delete(parseStorageKey(key))
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    parseStoragePrefix(prefix)
    for (const [key, { bytes, modifiedAt }] of this.#objects) {
      if (key.startsWith(prefix)) yield { key, size: bytes.byteLength, modifiedAt }
    }
  }
}
