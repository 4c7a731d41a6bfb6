import { randomUUID } from 'node:crypto'
import { lstat, unlink } from 'node:fs/promises'
import { unlessMissing } from './file-system.ts'

const PARTIAL_NAME = /^\.[0-9a-f-]{36}\.part$/

/** After this time in milliseconds nobody writes to a partial file any more: its process was killed. */
const PARTIAL_MAX_AGE = 24 * 60 * 60 * 1000

/** Makes the name of a file while it is written, which is no name of an object. */
export function partialName(): string {
  return `.${randomUUID()}.part`
}

/** True for a name that {@link partialName} makes. */
export function isPartialName(name: string): boolean {
  return PARTIAL_NAME.test(name)
}

/** Removes a partial file that a killed write left behind a day ago. */
export async function removeAbandoned(path: string, clock: () => number): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing)
  if (stats && stats.mtimeMs < clock() - PARTIAL_MAX_AGE) await unlink(path).catch(unlessMissing)
}
