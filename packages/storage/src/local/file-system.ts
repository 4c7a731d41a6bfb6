import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import type { StoredObject } from '../storage.ts'

/** Opens a regular file for reading. Returns null for any other path. */
export async function openFile(path: string): Promise<FileHandle | null> {
  // Checks the type first, because opening a named pipe would block.
  if (!(await statFile('', path))) return null
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)
  return (await open(path, flags).catch(unlessMissing)) ?? null
}

/** Returns the metadata of a regular file, or null for any other path, even a symbolic link. */
export async function statFile(key: string, path: string): Promise<StoredObject | null> {
  const stats = await lstat(path).catch(unlessMissing)
  return stats?.isFile() ? { key, size: stats.size, modifiedAt: Math.floor(stats.mtimeMs) } : null
}

/** Returns true if a path is a folder. A link to a folder is not a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessMissing))?.isDirectory() ?? false
}

/** Syncs the file names in a folder to disk. On Windows, does nothing. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Ignores the error of a missing file, and throws any other error. For use with `catch`. */
export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
}

/** Ignores the error of an existing file, and throws any other error. For use with `catch`. */
export function unlessExists(error: unknown): undefined {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Returns the code of a system error, for example `EXDEV`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
