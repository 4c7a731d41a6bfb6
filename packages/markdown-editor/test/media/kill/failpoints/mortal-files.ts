import { AsyncLocalStorage } from 'node:async_hooks'
import files, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { Disk, type PlainFiles } from './disk.ts'
import type { MortalProcess } from './mortal-process.ts'

/** The functions that change the disk, in addition to the methods of open files below. */
const CHANGING = [
  'copyFile',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'utimes',
] as const
const CHANGING_HANDLE = ['write', 'writev', 'sync', 'datasync', 'truncate', 'close'] as const

const { link, mkdir, rm, truncate } = files
const plainFiles: PlainFiles = { link, mkdir, rm, truncate }

const current = new AsyncLocalStorage<MortalProcess>()

export function newDisk(backupFolder: string): Disk {
  return new Disk(backupFolder, plainFiles)
}

/** Runs file system work in a process that can die at each call that changes a file. */
export function inProcess<Result>(
  process: MortalProcess,
  work: () => Promise<Result>,
): Promise<Result> {
  return current.run(process, work)
}

/** Intercepts `node:fs/promises` once. Calls outside of `inProcess` are unchanged. */
export async function watchFiles(): Promise<void> {
  if (isWatching) return
  isWatching = true
  for (const name of CHANGING) intercept(files, name, () => true)
  // The code under test uses `r` and numeric flags only to read, so these calls change nothing.
  intercept(files, 'open', ([, flags]) => typeof flags === 'string' && flags !== 'r')
  const handle = await files.open(tmpdir())
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  for (const name of CHANGING_HANDLE) intercept(prototype, name, () => true)
  syncBuiltinESMExports()
}

let isWatching = false

type Method = (this: unknown, ...args: readonly unknown[]) => Promise<unknown>

function intercept<Owner extends object>(
  owner: Owner,
  name: keyof Owner & string,
  isChange: (args: readonly unknown[]) => boolean,
): void {
  const original = owner[name] as Method
  const watched: Method = function (...args) {
    const process = current.getStore()
    const plain = (): Promise<unknown> => Reflect.apply(original, this, args)
    // After the death of a process, the system closes its files.
    if (!process || (name === 'close' && process.isReleased)) return plain()
    const effect = (): Promise<unknown> => changeDisk(process, name, this, args, plain)
    return isChange(args) ? process.call(`fs.${name}`, effect, true) : effect()
  }
  Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true })
}

/** Makes a system call, and records on the disk what a power failure would undo. */
async function changeDisk(
  process: MortalProcess,
  name: string,
  handle: unknown,
  args: readonly unknown[],
  plain: () => Promise<unknown>,
): Promise<unknown> {
  const { disk } = process
  const [first, second] = args.map(String)
  if (name === 'sync' || name === 'datasync') {
    // A real sync is unnecessary, because the system keeps what a killed process wrote.
    disk?.synced(handle as object)
    return undefined
  }
  if (name === 'unlink') await disk?.removing(first ?? '')
  const result = await plain()
  // With `recursive`, mkdir returns the first folder that it created, or undefined.
  if (name === 'mkdir' && (result !== undefined || !isRecursive(args[1])))
    disk?.named(String(result ?? first))
  if (name === 'link') disk?.named(second ?? '')
  if (name === 'open') {
    const opened = result as FileHandle
    process.onRelease(() => void opened.close().catch(() => {}))
    await disk?.opened(opened, first ?? '', second === 'wx')
  }
  return result
}

function isRecursive(options: unknown): boolean {
  return (
    typeof options === 'object' &&
    options !== null &&
    'recursive' in options &&
    options.recursive === true
  )
}
