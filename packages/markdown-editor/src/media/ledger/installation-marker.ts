import { isQuillgateError } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'

/**
 * Key of the object that names the installation; outside the folders of media, and never served.
 */
export const MARKER_KEY = 'quillgate-installation.txt'

/** The id of the installation that a storage belongs to; null when it carries no marker. */
export async function readMarker(storage: Pick<Storage, 'read'>): Promise<string | null> {
  const stored = await storage.read(MARKER_KEY)
  return stored ? (await new Response(stored.body).text()).trim() : null
}

/**
 * Marks a storage as one of this installation. A marker that is there stays: reading it tells whose
 * it is.
 */
export async function writeMarker(storage: Pick<Storage, 'write'>, id: string): Promise<void> {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(`${id}\n`)
  }
  try {
    await storage.write(MARKER_KEY, body(), { type: 'text/plain' })
  } catch (error) {
    // Another process wrote it at the same moment, or another installation long ago.
    if (!(isQuillgateError(error) && error.code === 'storage_conflict')) throw error
  }
}
