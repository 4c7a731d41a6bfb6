import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { WriteResult } from '../storage.ts'
import { io } from '../storage-errors.ts'

/**
 * The least bytes of one write. Chunks may be small, and each write has the cost of a thread
 * switch.
 */
const LEAST = 64 * 1024

/** The most bytes that are collected during the previous write. */
const MOST = 128 * 1024

/**
 * Writes a new file and syncs it to disk. Errors of the body are passed on unchanged. Its chunks
 * must not be changed after they were yielded.
 */
export async function writeSynced(
  path: string,
  body: AsyncIterable<Uint8Array>,
): Promise<WriteResult> {
  const handle = await io(() => open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  let batch: Uint8Array[] = []
  let gathered = 0
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  const isDone = (): void => {
    isWriting = false
  }
  const writeBatch = (): void => {
    isWriting = true
    writing = writeAll(handle, batch)
    writing.then(isDone, isDone) // `writing` is awaited before the next write, and in `finally`.
    batch = []
    gathered = 0
  }
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      size += chunk.byteLength
      gathered += chunk.byteLength
      batch.push(chunk)
      if (gathered < (isWriting ? MOST : LEAST)) continue
      await io(() => writing)
      writeBatch()
    }
    await io(() => writing)
    await io(() => writeAll(handle, batch))
    await io(() => handle.sync())
  } finally {
    await writing.catch(() => {})
    await io(() => handle.close())
  }
  return { size, sha256: hash.digest('hex') }
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let left = chunks
  while (left.length > 0) left = after(left, (await handle.writev(left)).bytesWritten)
}

/** Returns the rest of chunks after a number of bytes. */
function after(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let written = bytes
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(written, chunk.byteLength))
    written -= chunk.byteLength - rest.byteLength
    return rest.byteLength > 0 ? [rest] : []
  })
}
