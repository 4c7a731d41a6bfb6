import { AsyncLocalStorage } from 'node:async_hooks'
import files, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
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

const current = new AsyncLocalStorage<MortalProcess>()

/** Runs what a mortal process does on the file system: from then on each system call that changes a file can be its last. */
export function inProcess<Result>(process: MortalProcess, work: () => Promise<Result>): Promise<Result> {
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
    if (!process || !isChange(args)) return Reflect.apply(original, this, args)
    // The files that a dead process had open are closed by the system.
    if (name === 'close' && process.isReleased) return Reflect.apply(original, this, args)
    // What a killed process wrote, the system still has; so nothing here waits for the disk.
    if (name === 'sync' || name === 'datasync') return process.call(`fs.${name}`, async () => {}, true)
    const effect = async (): Promise<unknown> => {
      const result = await Reflect.apply(original, this, args)
      if (name === 'open') process.onRelease(() => void (result as FileHandle).close().catch(() => {}))
      return result
    }
    return process.call(`fs.${name}`, effect, true)
  }
  Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true })
}
