import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { WriteResult } from '../storage.ts'
import { io } from '../storage-errors.ts'

const BATCH = 128 * 1024 // In bytes. Chunks may be small, and each write costs a thread switch.

/**
 * Writes a new file in batches. While one batch is written, the next batch is collected. The body
 * must not change chunks after it has yielded them. If the body throws, rejects with the same
 * error. With `durable`, syncs the bytes to disk.
 */
export async function writeFile(
  path: string,
  body: AsyncIterable<Uint8Array>,
  { durable }: { readonly durable: boolean },
): Promise<WriteResult> {
  const file = await io(() => open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  let batch: Uint8Array[] = []
  let gathered = 0
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      size += chunk.byteLength
      gathered += chunk.byteLength
      batch.push(chunk)
      if (gathered < BATCH) continue
      await io(() => writing)
      writing = append(file, batch)
      writing.catch(() => {}) // Its error is thrown before the next write.
      batch = []
      gathered = 0
    }
    await io(() => writing)
    await io(() => append(file, batch))
    if (durable) await io(() => file.sync())
  } finally {
    await writing.catch(() => {})
    await io(() => file.close())
  }
  return { size, sha256: hash.digest('hex') }
}

/** Does not join the chunks, because that would copy their bytes. */
async function append(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest) // `writev` may write only some bytes.
    rest = rest.flatMap((chunk) => {
      const left = chunk.subarray(bytesWritten)
      bytesWritten = Math.max(0, bytesWritten - chunk.byteLength)
      return left.byteLength > 0 ? [left] : []
    })
  }
}
