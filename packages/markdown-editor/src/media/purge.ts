import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Medium } from './ledger/medium.ts'

/**
 * Deletes the bytes of a file in state `deleting`. It can be repeated, also by two callers at once.
 *
 * Returns the storage key whose bytes are gone: the permanent one, or the temporary one of a file
 * that had no other; null if the file is not being deleted. Throws QuillgateError `storage_failed`;
 * the file then stays `deleting`, and the next sweep tries again.
 */
export type Purge = (id: string) => Promise<string | null>

/** The collaborators of {@link createPurge}. */
export interface PurgeOptions {
  readonly ledger: Pick<MediaLedger, 'get' | 'completeDeletion' | 'forgetUpload'>
  readonly storage: Pick<Storage, 'remove'>
  /** Called after a file's bytes are deleted and before the ledger records it, so at least once. */
  readonly onDeleted?: ((medium: Medium) => void | Promise<void>) | undefined
  readonly clock: () => number
  readonly logger: Logger
}

/** Creates the purge of a ledger and its storage. */
export function createPurge({ ledger, storage, onDeleted, clock, logger }: PurgeOptions): Purge {
  return async (id) => {
    const medium = await ledger.get(id)
    if (medium?.state !== 'deleting') return null
    const { key, tempKey, checksum, reason } = medium
    // The source first: then a promotion that still runs cannot copy it again.
    await storage.remove(tempKey)
    if (key !== null) await storage.remove(key)
    // A file whose upload was interrupted was never visible, so its row goes. The row of a rejected
    // upload is removed by the upload itself, which may still run and reads there why it ends.
    if (checksum === null && reason !== 'rejected') {
      await ledger.forgetUpload(id)
    } else {
      try {
        if (checksum !== null) await onDeleted?.(medium)
      } catch (error) {
        logger.error(`onDeleted failed for medium ${id}.`, error)
      }
      await ledger.completeDeletion(id, clock())
    }
    return key ?? tempKey
  }
}
