import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Medium } from './ledger/medium.ts'

/** Removes the bytes of files that the ledger has let go. */
export interface Eraser {
  /**
   * Ends the deletion of a file in state `deleting`; can be repeated, also by two at once.
   *
   * @returns the storage key whose bytes are gone: the permanent one, or the temporary one of a file that never had
   * another; null when the file is not being deleted
   * @throws QuillgateError `storage_failed`; the file stays `deleting`, and the sweep tries again
   */
  erase(id: string): Promise<string | null>
}

/** What {@link createEraser} needs. */
export interface EraserOptions {
  readonly ledger: Pick<MediaLedger, 'get' | 'completeDeletion' | 'forgetUpload'>
  readonly storage: Pick<Storage, 'remove'>
  /**
   * Hears of each file whose bytes are gone, before the ledger says so: at least once, whatever happens to the process.
   */
  readonly onDeleted?: (medium: Medium) => void | Promise<void>
  readonly clock: () => number
  readonly logger: Logger
}

/** Makes the eraser of a ledger and its storage. */
export function createEraser({ ledger, storage, onDeleted, clock, logger }: EraserOptions): Eraser {
  const tell = async (medium: Medium): Promise<void> => {
    try {
      await onDeleted?.(medium)
    } catch (error) {
      logger.error(`onDeleted failed for medium ${medium.id}.`, error)
    }
  }

  return {
    async erase(id) {
      const medium = await ledger.get(id)
      if (medium?.state !== 'deleting') return null
      for (const key of keysOf(medium)) await storage.remove(key)
      // Nobody ever saw a file whose upload was broken off: no trace of it stays. The row of one that was rejected goes
      // by the upload itself, which may still be under way and reads there why it ends.
      if (medium.checksum === null && medium.reason !== 'rejected') await ledger.forgetUpload(id)
      else {
        if (medium.checksum !== null) await tell(medium)
        await ledger.completeDeletion(id, clock())
      }
      return medium.key ?? medium.tempKey
    },
  }
}

/** The source first: then no promotion that still runs can copy it once more. */
function keysOf({ key, tempKey }: Medium): string[] {
  return key === null ? [tempKey] : [tempKey, key]
}
