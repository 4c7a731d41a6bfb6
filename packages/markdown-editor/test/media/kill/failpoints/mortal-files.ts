import { AsyncLocalStorage } from 'node:async_hooks'
import files, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { Disk, type PlainFiles } from './disk.ts'
import type { MortalProcess } from './mortal-process.ts'

/** Calls that change what is on the disk. Between two of them nothing else does. */
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

/** A disk beside the media of a place, for a process that dies of a power failure. */
export function newDisk(attic: string): Disk {
  return new Disk(attic, plainFiles)
}

/** Runs what a mortal process does on the file system: from then on each system call that changes a file can be its last. */
export function inProcess<Result>(
  process: MortalProcess,
  work: () => Promise<Result>,
): Promise<Result> {
  return current.run(process, work)
}

/**
 * Puts itself between this real process and `node:fs/promises`, once. Whoever is not in a mortal process notices nothing.
 */
export async function watchFiles(): Promise<void> {
  if (isWatching) return
  isWatching = true
  for (const name of CHANGING) intercept(files, name, () => true)
  // Opening for reading changes nothing; only `r` and 0 (O_RDONLY, with or without O_NOFOLLOW) are used for that.
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
    // The files that a dead process had open are closed by the system.
    if (!process || (name === 'close' && process.isReleased)) return plain()
    const effect = (): Promise<unknown> => changeDisk(process, name, this, args, plain)
    return isChange(args) ? process.call(`fs.${name}`, effect, true) : effect()
  }
  Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true })
}

/** Makes a system call, and tells the disk what it has to lose. */
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
    // What a killed process wrote, the system still has; so nothing here waits for the true disk.
    disk?.synced(handle as object)
    return undefined
  }
  if (name === 'unlink') await disk?.removing(first ?? '')
  const result = await plain()
  // With `recursive` it gives the first folder that it made, or nothing.
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
