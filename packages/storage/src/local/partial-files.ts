import { randomUUID } from 'node:crypto'
import { lstat, unlink } from 'node:fs/promises'
import { unlessMissing } from './file-system.ts'

const PARTIAL_NAME = /^\.[0-9a-f-]{36}\.part$/

/** Milliseconds after which a partial file is abandoned, because its process must have ended. */
const PARTIAL_MAX_AGE = 24 * 60 * 60 * 1000

/** Creates the name of a temporary file. It is not a valid name of an object. */
export function partialName(): string {
  return `.${randomUUID()}.part`
}

/** Whether {@link partialName} created a name. */
export function isPartialName(name: string): boolean {
  return PARTIAL_NAME.test(name)
}

/** Removes a partial file if it is abandoned. */
export async function removeAbandoned(path: string, clock: () => number): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing)
  if (stats && stats.mtimeMs < clock() - PARTIAL_MAX_AGE) await unlink(path).catch(unlessMissing)
}
