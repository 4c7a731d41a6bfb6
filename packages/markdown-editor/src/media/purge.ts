import type { MediaServices } from './services.ts'

/**
 * Deletes the bytes of a file in state `deleting`. It can be repeated, also by two callers at once.
 *
 * @returns the storage key whose bytes are gone: the permanent one, or the temporary one of a file
 * that had no other; null if the file is not being deleted
 * @throws QuillgateError `storage_failed`; the file stays `deleting`, and the next sweep tries again
 */
export async function purge(
  media: Pick<MediaServices, 'ledger' | 'storage' | 'onDeleted' | 'clock' | 'logger'>,
  id: string,
): Promise<string | null> {
  const { ledger, storage, onDeleted, clock, logger } = media
  const medium = await ledger.get(id)
  if (medium?.state !== 'deleting') return null
  const { key, tempKey, checksum } = medium
  // The source first: then a promotion that still runs cannot copy it again.
  await storage.remove(tempKey)
  if (key !== null) await storage.remove(key)
  // A file whose upload was interrupted was never visible, so its row goes.
  if (checksum === null) {
    await ledger.forgetUpload(id)
    return key ?? tempKey
  }
  try {
    await onDeleted?.(medium)
  } catch (error) {
    logger.error(`onDeleted failed for medium ${id}.`, error)
  }
  await ledger.completeDeletion(id, clock())
  return key ?? tempKey
}
