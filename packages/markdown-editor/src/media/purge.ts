import type { MediaServices } from './services.ts'

/**
 * Deletes the bytes of a file in the state `deleting`. It can be repeated, also by two callers at
 * once. If it throws, the next sweep tries again.
 *
 * @returns the permanent storage key, or else the temporary one; null in any other state
 */
export async function purge(
  media: Pick<MediaServices, 'ledger' | 'storage' | 'onDeleted' | 'clock' | 'logger'>,
  id: string,
): Promise<string | null> {
  const { ledger, storage, onDeleted, clock, logger } = media
  const medium = await ledger.get(id)
  if (medium?.state !== 'deleting') return null
  const { key, tempKey, checksum } = medium
  // The temporary copy is removed first, so that a running promotion cannot copy it again.
  await storage.remove(tempKey)
  if (key !== null) await storage.remove(key)
  // The upload was interrupted and the file was never visible, so its row is removed.
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
