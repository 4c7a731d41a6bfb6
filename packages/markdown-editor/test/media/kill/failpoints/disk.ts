import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The original file system functions, without failpoints. */
export interface PlainFiles {
  link(path: string, name: string): Promise<void>
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>
  rm(path: string, options: { readonly recursive: true; readonly force: true }): Promise<void>
  truncate(path: string): Promise<void>
}

/**
 * Simulates the loss of unsynced data when the power fails. New names are lost unless their
 * folder was synced. The bytes of new files are lost unless the file was synced. Removed names
 * come back unless their folder was synced.
 */
export class Disk {
  readonly #files: PlainFiles
  /** A folder with hard links to files that may have to be truncated or restored. */
  readonly #backupFolder: string
  #count = 0
  readonly #paths = new WeakMap<object, string>()
  readonly #unsyncedNames = new Set<string>()
  /** Hard links to removed files, by original name. */
  readonly #removed = new Map<string, string>()
  /** Hard links to files whose bytes are not synced, by original name. */
  readonly #unsyncedBytes = new Map<string, string>()

  /** @param backupFolder a folder on the same disk, which is created when needed */
  constructor(backupFolder: string, files: PlainFiles) {
    this.#backupFolder = backupFolder
    this.#files = files
  }

  /** @param isNew whether the call created the file */
  async opened(handle: FileHandle, path: string, isNew: boolean): Promise<void> {
    this.#paths.set(handle, path)
    if (!isNew) return
    this.#unsyncedNames.add(path)
    this.#unsyncedBytes.set(path, await this.#backUp(path))
  }

  /** Records a new name, created by `link` or `mkdir`. */
  named(path: string): void {
    this.#unsyncedNames.add(path)
  }

  async removing(path: string): Promise<void> {
    if (this.#unsyncedNames.delete(path)) return
    const copy = await this.#backUp(path).catch(() => null)
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

  /** Simulates a power failure. */
  async fail(): Promise<void> {
    for (const copy of this.#unsyncedBytes.values()) await this.#files.truncate(copy)
    for (const name of this.#unsyncedNames)
      await this.#files.rm(name, { recursive: true, force: true })
    // The links fail if the folder is lost.
    for (const [name, copy] of this.#removed) await this.#files.link(copy, name).catch(() => {})
  }

  async #backUp(path: string): Promise<string> {
    await this.#files.mkdir(this.#backupFolder, { recursive: true })
    const copy = join(this.#backupFolder, String(this.#count++))
    await this.#files.link(path, copy)
    return copy
  }
}
