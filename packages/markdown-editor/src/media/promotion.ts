import { withDimensions } from '@quillgate/markdown/media-urls'
import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Medium } from './ledger/medium.ts'
import { expandPathTemplate } from './upload/path-template.ts'

/**
 * Makes a file permanent: from `temporary`, or from a promotion that was interrupted. The bytes are
 * copied, and the temporary copy is removed only after the ledger knows the permanent one. It can
 * be repeated, also by two callers at once.
 *
 * Returns the file, permanent or orphaned (a new reference brings an orphan back); null if there is
 * no such file any more, or its bytes are missing. Throws QuillgateError `storage_failed`; the file
 * then stays `promoting` and can be promoted again.
 */
export type Promote = (id: string, options?: PromoteOptions) => Promise<Medium | null>

/** How a file is promoted. */
export interface PromoteOptions {
  /** The row as it was read before. Another call may have changed it since. */
  readonly known?: Medium
  /**
   * True: a file whose bytes are missing is deleted. Only the sweep passes it, an hour later,
   * because a storage that is not mounted looks the same.
   */
  readonly givesUp?: boolean
}

/** The collaborators of {@link createPromotion}. */
export interface PromotionOptions {
  readonly ledger: Pick<MediaLedger, 'get' | 'beginPromotion' | 'completePromotion' | 'giveUp'>
  readonly storage: Pick<Storage, 'copy' | 'remove' | 'stat'>
  /** Folder of permanent files, with date codes. */
  readonly uploadPath: string
  readonly clock: () => number
  readonly logger: Logger
}

/** Creates the promotion of a ledger and its storage. */
export function createPromotion(options: PromotionOptions): Promote {
  const { ledger, uploadPath, clock } = options

  return async (id, { known, givesUp = false } = {}) => {
    for (let medium = known ?? (await ledger.get(id)); ; medium = await ledger.get(id)) {
      if (medium?.state === 'permanent' || medium?.state === 'orphaned') return medium
      if (medium?.state !== 'temporary' && medium?.state !== 'promoting') return null
      const key = medium.key ?? permanentKey(uploadPath, clock(), medium)
      if (medium.state === 'temporary' && !(await ledger.beginPromotion(id, key, clock()))) continue
      if (await copyAndComplete(options, medium, key)) continue
      options.logger.error(
        `The bytes of medium ${id} are missing: neither ${medium.tempKey} nor ${key} is in the storage.`,
      )
      if (givesUp) await ledger.giveUp(id, 'promoting', 'upload_failed', clock())
      return null
    }
  }
}

function permanentKey(uploadPath: string, at: number, { tempKey, ...size }: Medium): string {
  const name = tempKey.slice(tempKey.lastIndexOf('/') + 1)
  return expandPathTemplate(uploadPath, at) + withDimensions(name, size)
}

/**
 * Copies the bytes and completes the promotion. If several callers do this at once, one of them
 * completes it.
 *
 * @returns false if there were no bytes
 */
async function copyAndComplete(
  options: PromotionOptions,
  { id, tempKey, size }: Medium,
  key: string,
): Promise<boolean> {
  const { ledger, storage, clock } = options
  const stateNow = async (): Promise<string | undefined> => (await ledger.get(id))?.state
  try {
    const isCopied = (await storage.copy(tempKey, key)) || (await storage.stat(key))?.size === size
    // Another call may have completed it and removed the source in the meantime.
    if (!isCopied) return (await stateNow()) !== 'promoting'
  } catch (error) {
    if ((await stateNow()) === 'promoting') throw error
    return true
  }
  if (await ledger.completePromotion(id, clock())) {
    await removeUnneeded(options, tempKey)
    return true
  }
  const state = await stateNow()
  // Another call completed it and the file was deleted during our copy, so only this call can
  // remove these bytes.
  if (state === 'deleting' || state === 'deleted') await removeUnneeded(options, key)
  return true
}

async function removeUnneeded({ storage, logger }: PromotionOptions, key: string): Promise<void> {
  try {
    await storage.remove(key)
  } catch (error) {
    logger.warn(`The object ${key} is not needed any more but could not be removed.`, error)
  }
}
