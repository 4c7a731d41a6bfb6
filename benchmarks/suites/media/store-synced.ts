import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Stores a body as safely as our storage. Writes it under a temporary name and hashes it. Then
 * syncs the file, renames it, and syncs the folder. The other contenders share this code.
 *
 * @returns the SHA-256 hash of the bytes as hexadecimal text
 */
export async function storeSynced(body: Readable, directory: string): Promise<string> {
  const name = randomUUID()
  const partial = join(directory, `.${name}.part`)
  const hash = createHash('sha256')
  // Hashes in a listener, because a transform in the pipeline would cost more than the hash.
  body.on('data', (chunk: Uint8Array) => hash.update(chunk))
  await pipeline(body, createWriteStream(partial, { flags: 'wx', flush: true }))
  await publish(partial, directory, name)
  return hash.digest('hex')
}

/** Renames a synced file, and makes the new name durable. */
export async function publish(partial: string, directory: string, name: string): Promise<void> {
  await rename(partial, join(directory, name))
  const folder = await open(directory)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
