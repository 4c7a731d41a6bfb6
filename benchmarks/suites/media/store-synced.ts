import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Stores a body as safely as our storage: hashed, under a temporary name, then synced, renamed, and
 * the folder synced. The other contenders share this code.
 *
 * @returns SHA-256 of the bytes, hexadecimal
 */
export async function storeSynced(body: Readable, directory: string): Promise<string> {
  const name = randomUUID()
  const partial = join(directory, `.${name}.part`)
  const hash = createHash('sha256')
  // Outside the pipe, because a transform would cost more than the hash.
  body.on('data', (chunk: Uint8Array) => hash.update(chunk))
  await pipeline(body, createWriteStream(partial, { flags: 'wx', flush: true }))
  await publish(partial, directory, name)
  return hash.digest('hex')
}

/** Renames a synced file, and makes the name durable. */
export async function publish(partial: string, directory: string, name: string): Promise<void> {
  await rename(partial, join(directory, name))
  const folder = await open(directory)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
