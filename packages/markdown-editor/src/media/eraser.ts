import type { Storage } from '../storage/storage.ts'
import type { MediaLedger } from './media-ledger.ts'
import type { Medium } from './medium.ts'

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

/** Makes the eraser of a ledger and its storage. */
export function createEraser(
  ledger: Pick<MediaLedger, 'get' | 'completeDeletion'>,
  storage: Pick<Storage, 'remove'>,
  clock: () => number,
): Eraser {
  return {
    async erase(id) {
      const medium = await ledger.get(id)
      if (medium?.state !== 'deleting') return null
      for (const key of keysOf(medium)) await storage.remove(key)
      await ledger.completeDeletion(id, clock())
      return medium.key ?? medium.tempKey
    },
  }
}

function keysOf({ key, tempKey }: Medium): string[] {
  return key === null ? [tempKey] : [key, tempKey]
}
