import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The functions of the file system that a disk needs, as they are without anybody watching. */
export interface PlainFiles {
  link(path: string, name: string): Promise<void>
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>
  rm(path: string, options: { readonly recursive: true; readonly force: true }): Promise<void>
  truncate(path: string): Promise<void>
}

/**
 * A disk that keeps nothing longer than it must: when the power fails, it loses each name whose folder was not synced since,
 * and the bytes of each file that was not; and names that were removed come back, unless their folder was synced since.
 */
export class Disk {
  readonly #files: PlainFiles
  /** Holds what may have to come back. */
  readonly #attic: string
  #count = 0
  readonly #paths = new WeakMap<object, string>()
  readonly #unsyncedNames = new Set<string>()
  /** Copies of removed names, by name. */
  readonly #removed = new Map<string, string>()
  /** A second name for each file whose bytes are not synced, by its first. */
  readonly #unsyncedBytes = new Map<string, string>()

  /** @param attic a folder on the same disk, which is made */
  constructor(attic: string, files: PlainFiles) {
    this.#attic = attic
    this.#files = files
  }

  /** A file or folder was opened. @param isNew it was made by that */
  async opened(handle: FileHandle, path: string, isNew: boolean): Promise<void> {
    this.#paths.set(handle, path)
    if (!isNew) return
    this.#unsyncedNames.add(path)
    this.#unsyncedBytes.set(path, await this.#keep(path))
  }

  /** A name was made, by `link` or `mkdir`. */
  named(path: string): void {
    this.#unsyncedNames.add(path)
  }

  /** A name will be removed. */
  async removing(path: string): Promise<void> {
    if (this.#unsyncedNames.delete(path)) return
    const copy = await this.#keep(path).catch(() => null)
    if (copy !== null) this.#removed.set(path, copy)
  }

  synced(handle: object): void {
    const path = this.#paths.get(handle)
    if (path === undefined) return
    this.#unsyncedBytes.delete(path)
    for (const name of this.#unsyncedNames)
      if (dirname(name) === path) this.#unsyncedNames.delete(name)
    for (const name of this.#removed.keys()) if (dirname(name) === path) this.#removed.delete(name)
  }

  /** The power fails. */
  async fail(): Promise<void> {
    for (const copy of this.#unsyncedBytes.values()) await this.#files.truncate(copy)
    for (const name of this.#unsyncedNames)
      await this.#files.rm(name, { recursive: true, force: true })
    for (const [name, copy] of this.#removed) await this.#files.link(copy, name).catch(() => {}) // Its folder is lost.
  }

  async #keep(path: string): Promise<string> {
    await this.#files.mkdir(this.#attic, { recursive: true })
    const copy = join(this.#attic, String(this.#count++))
    await this.#files.link(path, copy)
    return copy
  }
}
