import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isQuillgateError } from '@quillgate/server/core'
import type { StoredObject } from '../storage.ts'
import { io } from '../storage-errors.ts'

/**
 * Creates folders one by one, so that none is created through a link out of the root, and each is
 * durable.
 *
 * @param durable - real paths of folders that have been synced; others may exist because another
 * caller has just created them and not yet synced them
 */
export async function makeFolders(
  root: string,
  segments: readonly string[],
  durable: Set<string>,
): Promise<void> {
  await makeRoot(root)
  const realRoot = await realpath(root)
  let folder = realRoot
  for (const segment of segments) {
    const parent = folder
    folder = join(parent, segment)
    const made = await mkdir(folder, { mode: 0o700 }).then(() => true, unlessExists)
    if (!made) folder = await realpath(folder)
    if (!isInside(realRoot, folder))
      throw new Error(`A symbolic link leads out of ${root}: ${segments.join('/')}`)
    if (!made && durable.has(folder)) continue
    await syncFolder(parent)
    durable.add(folder)
  }
}

async function makeRoot(root: string): Promise<void> {
  const first = await mkdir(root, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = root; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made))
}

/** Creates a hard link to a file. Returns false if the name is taken. */
export function tryLink(path: string, name: string): Promise<boolean> {
  return io(() => link(path, name).then(() => true, unlessExists)).then((linked) => linked ?? false)
}

/** Opens a regular file for reading. Returns null if it is missing. */
export async function openFile(path: string): Promise<FileHandle | null> {
  // The type is checked first, because opening a named pipe would block.
  if (!(await statFile('', path))) return null
  return (
    (await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(unlessMissing)) ??
    null
  )
}

/** Returns the metadata of a regular file; null for anything else, including symbolic links. */
export async function statFile(key: string, path: string): Promise<StoredObject | null> {
  const stats = await lstat(path).catch(unlessMissing)
  return stats?.isFile() ? { key, size: stats.size, modifiedAt: Math.floor(stats.mtimeMs) } : null
}

/** Whether a path is a folder, not a link to a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessMissing))?.isDirectory() ?? false
}

/** Makes the names in a folder durable. On Windows this is neither possible nor needed. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether a real path is the folder `root` or below it. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** An error handler that ignores missing files. */
export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
}

function unlessExists(error: unknown): undefined {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Whether a link failed because the two paths cannot share an inode. */
export function isBetweenDisks(error: unknown): boolean {
  return (
    isQuillgateError(error) &&
    ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP'].includes(codeOf(error.cause) ?? '')
  )
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
