import type { MediaServices } from './services.ts'

/**
 * Deletes the bytes of a file in the state `deleting`. Calls can be repeated and can overlap. If a
 * call throws, the next sweep tries again.
 *
 * @returns the permanent storage key, or the temporary key of a file that was never permanent; null
 * for a file in another state
 */
export async function purge(
  media: Pick<MediaServices, 'ledger' | 'storage' | 'onDeleted' | 'clock' | 'logger'>,
  id: string,
): Promise<string | null> {
  const { ledger, storage, onDeleted, clock, logger } = media
  const medium = await ledger.get(id)
  if (medium?.state !== 'deleting') return null
  const { key, tempKey, checksum } = medium
  // Removes the temporary bytes first. Otherwise, a running promotion could copy them again.
  await storage.remove(tempKey)
  if (key !== null) await storage.remove(key)
  // Without a checksum, the upload was interrupted, and the file was never visible.
  if (checksum === null) {
    await ledger.forgetUpload(id)
    return key ?? tempKey
  }
  try {
    await onDeleted?.(medium)
  } catch (error) {
    const message = `onDeleted failed for medium ${id}. The function is not called again for this medium.`
    logger.error(message, error)
  }
  await ledger.completeDeletion(id, clock())
  return key ?? tempKey
}
