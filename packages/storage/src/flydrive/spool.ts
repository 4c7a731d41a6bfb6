import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { toParts } from '../parts.ts'
import type { WriteResult } from '../storage.ts'
import { io } from '../storage-errors.ts'

/** A body that was read completely, so that its size is known and it cannot fail any more. */
export interface Spooled extends WriteResult {
  /** The bytes of a small body; null for a large one, which is in a file. */
  readonly bytes: Uint8Array | null
  /** Reads the file. */
  open(): Readable
  /** Removes the file. */
  remove(): Promise<void>
}

/** The size of bodies that are kept in memory. Larger ones go to a file. */
const MEMORY = 1024 * 1024

/**
 * Reads a body. Its errors are passed on unchanged.
 *
 * @param folder - for the file of a large body
 */
export async function spool(body: AsyncIterable<Uint8Array>, folder: string): Promise<Spooled> {
  const hash = createHash('sha256')
  const path = join(folder, `quillgate-${randomUUID()}.part`)
  const remove = (): Promise<void> => rm(path, { force: true })
  let file: FileHandle | null = null
  let bytes: Uint8Array | null = null
  let size = 0
  try {
    for await (const part of toParts(body, MEMORY)) {
      hash.update(part.bytes)
      size += part.bytes.byteLength
      if (part.isLast && !file) bytes = part.bytes
      else {
        const handle: FileHandle = file ?? (await io(() => open(path, 'wx', 0o600)))
        file = handle
        await io(() => handle.writeFile(part.bytes)) // Appends to the previous part.
      }
    }
  } catch (error) {
    await file?.close()
    if (file) await remove()
    throw error
  }
  await file?.close()
  return { size, sha256: hash.digest('hex'), bytes, open: () => createReadStream(path), remove }
}
