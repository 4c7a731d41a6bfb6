import type { Logger } from '@quillgate/http'
import { expandPathTemplate } from '../storage/path-template.ts'
import type { Storage } from '../storage/storage.ts'
import { storageFailed } from '../storage/storage-errors.ts'
import type { Installation } from './installation.ts'
import type { MediaLedger } from './media-ledger.ts'
import type { Medium } from './medium.ts'

/** Makes temporary files permanent. */
export interface Promotion {
  /**
   * Brings a file from `temporary` to `permanent`, or ends a promotion that was broken off. The bytes are copied, and
   * the temporary copy goes only after the ledger knows of the permanent one. Can be repeated, also by two at once.
   *
   * @param known the row as it was read before; another call may have gone on since
   * @returns the file, permanent (or orphaned, which a new reference brings back); null when there is none any more
   * @throws QuillgateError `storage_failed`; the file stays `promoting` and can be promoted again
   */
  promote(id: string, known?: Medium): Promise<Medium | null>
}

/** What {@link createPromotion} needs. */
export interface PromotionOptions {
  readonly ledger: Pick<MediaLedger, 'get' | 'beginPromotion' | 'completePromotion' | 'giveUp'>
  readonly storage: Pick<Storage, 'copy' | 'remove' | 'stat'>
  /** Tells whether the storage is ours: one that is not mounted looks as if all bytes were lost. */
  readonly installation: Pick<Installation, 'banOnDeletion'>
  /** Folder of permanent files, with date codes. */
  readonly uploadPath: string
  /** Hears of each file that has become permanent. */
  readonly onFinalized?: (medium: Medium) => void | Promise<void>
  readonly clock: () => number
  readonly logger: Logger
}

const NOT_OURS = 'The storage does not carry the marker of this database: perhaps it is not mounted.'

/** Makes the promotion of a ledger and its storage. */
export function createPromotion(options: PromotionOptions): Promotion {
  const { ledger, storage, installation, uploadPath, clock, logger } = options
  const permanentKey = ({ tempKey }: Medium): string =>
    expandPathTemplate(uploadPath, clock()) + tempKey.slice(tempKey.lastIndexOf('/') + 1)

  const removeQuietly = async (key: string): Promise<void> => {
    try {
      await storage.remove(key)
    } catch (error) {
      logger.warn(`The object ${key} is not needed any more but could not be removed.`, error)
    }
  }

  const tell = async (id: string): Promise<void> => {
    if (!options.onFinalized) return
    try {
      const medium = await ledger.get(id)
      if (medium) await options.onFinalized(medium)
    } catch (error) {
      logger.error(`onFinalized failed for medium ${id}.`, error)
    }
  }

  /** Copies the bytes and takes the last step; whoever else does the same at the same time, one of us ends it. */
  const copyAndComplete = async ({ id, tempKey, size }: Medium, key: string): Promise<void> => {
    const isStillOurs = async (): Promise<boolean> => (await ledger.get(id))?.state === 'promoting'
    try {
      const isCopied = (await storage.copy(tempKey, key)) || (await storage.stat(key))?.size === size
      if (!isCopied) {
        if ((await installation.banOnDeletion()) === 'installation_mismatch') throw storageFailed(new Error(NOT_OURS))
        // Another call may have ended and removed the source since we looked.
        if (await ledger.giveUp(id, 'promoting', 'upload_failed', clock())) {
          logger.error(`The bytes of medium ${id} are lost: neither ${tempKey} nor ${key} is in the storage.`)
        }
        return
      }
    } catch (error) {
      if (await isStillOurs()) throw error
      return
    }
    if (await ledger.completePromotion(id, clock())) {
      await removeQuietly(tempKey)
      return tell(id)
    }
    const state = (await ledger.get(id))?.state
    // Ended by another call, and deleted again while we copied: these bytes are ours alone.
    if (state === 'deleting' || state === 'deleted') await removeQuietly(key)
  }

  return {
    async promote(id, known) {
      for (let medium = known ?? (await ledger.get(id)); ; medium = await ledger.get(id)) {
        switch (medium?.state) {
          case 'permanent':
          case 'orphaned':
            return medium
          case 'temporary': {
            const key = permanentKey(medium)
            if (await ledger.beginPromotion(id, key, clock())) await copyAndComplete(medium, key)
            break
          }
          case 'promoting':
            await copyAndComplete(medium, medium.key ?? permanentKey(medium))
            break
          default:
            return null
        }
      }
    },
  }
}
