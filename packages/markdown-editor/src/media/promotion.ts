import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Medium } from './ledger/medium.ts'
import { expandPathTemplate } from './upload/path-template.ts'

/** Makes temporary files permanent. */
export interface Promotion {
  /**
   * Brings a file from `temporary` to `permanent`, or ends a promotion that was broken off. The bytes are copied, and
   * the temporary copy goes only after the ledger knows of the permanent one. Can be repeated, also by two at once.
   *
   * @param options.known the row as it was read before; another call may have gone on since
   * @param options.givesUp true: a file whose bytes are nowhere is given up. Only for the sweep, an hour later: a storage
   * that is not mounted, or another one, looks alike
   * @returns the file, permanent (or orphaned, which a new reference brings back); null when there is none any more, or
   * its bytes are not there
   * @throws QuillgateError `storage_failed`; the file stays `promoting` and can be promoted again
   */
  promote(
    id: string,
    options?: { readonly known?: Medium; readonly givesUp?: boolean },
  ): Promise<Medium | null>
}

/** What {@link createPromotion} needs. */
export interface PromotionOptions {
  readonly ledger: Pick<MediaLedger, 'get' | 'beginPromotion' | 'completePromotion' | 'giveUp'>
  readonly storage: Pick<Storage, 'copy' | 'remove' | 'stat'>
  /** Folder of permanent files, with date codes. */
  readonly uploadPath: string
  /** Hears of each file that has become permanent. */
  readonly onFinalized?: (medium: Medium) => void | Promise<void>
  readonly clock: () => number
  readonly logger: Logger
}

/** Makes the promotion of a ledger and its storage. */
export function createPromotion(options: PromotionOptions): Promotion {
  const { ledger, storage, uploadPath, clock, logger } = options
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

  /**
   * Copies the bytes and takes the last step; whoever else does the same at the same time, one of us ends it.
   *
   * @returns false when there were no bytes
   */
  const copyAndComplete = async ({ id, tempKey, size }: Medium, key: string): Promise<boolean> => {
    const stateNow = async (): Promise<string | undefined> => (await ledger.get(id))?.state
    try {
      const isCopied =
        (await storage.copy(tempKey, key)) || (await storage.stat(key))?.size === size
      // Another call may have ended and removed the source since we looked.
      if (!isCopied) return (await stateNow()) !== 'promoting'
    } catch (error) {
      if ((await stateNow()) === 'promoting') throw error
      return true
    }
    if (await ledger.completePromotion(id, clock())) {
      await removeQuietly(tempKey)
      await tell(id)
      return true
    }
    const state = await stateNow()
    // Ended by another call, and deleted again while we copied: these bytes are ours alone.
    if (state === 'deleting' || state === 'deleted') await removeQuietly(key)
    return true
  }

  const endPromotion = async (medium: Medium, key: string, givesUp: boolean): Promise<boolean> => {
    if (await copyAndComplete(medium, key)) return true
    const { id, tempKey } = medium
    logger.error(
      `The bytes of medium ${id} are missing: neither ${tempKey} nor ${key} is in the storage.`,
    )
    if (givesUp) await ledger.giveUp(id, 'promoting', 'upload_failed', clock())
    return false
  }

  return {
    async promote(id, { known, givesUp = false } = {}) {
      for (let medium = known ?? (await ledger.get(id)); ; medium = await ledger.get(id)) {
        switch (medium?.state) {
          case 'permanent':
          case 'orphaned':
            return medium
          case 'temporary': {
            const key = permanentKey(medium)
            const isBegun = await ledger.beginPromotion(id, key, clock())
            if (isBegun && !(await endPromotion(medium, key, givesUp))) return null
            break
          }
          case 'promoting':
            if (!(await endPromotion(medium, medium.key ?? permanentKey(medium), givesUp)))
              return null
            break
          default:
            return null
        }
      }
    },
  }
}
