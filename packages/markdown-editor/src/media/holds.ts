import type { ActorOptions } from './cleanup.ts'
import type { Eraser } from './eraser.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { MediaState } from './ledger/medium.ts'
import { toActor } from './owner.ts'
import type { Promotion } from './promotion.ts'

/** What becomes of files that the scanner held back. */
export interface Holds {
  /** Lets a file be served, also one whose upload has not ended yet; false when it was not held, or is gone. */
  release(id: string): Promise<boolean>
  /**
   * Deletes a file that was held, bytes and all, whether records reference it or not. An upload that has not ended yet
   * is refused with 422 `validation_error`.
   *
   * @returns false when there is no such file, or it is not held
   * @throws QuillgateError `storage_failed`; it is not served any more, and the sweep removes its bytes
   */
  reject(id: string, options?: ActorOptions): Promise<boolean>
}

const GOING: readonly MediaState[] = ['deleting', 'deleted']

/** Makes the holds of a ledger. */
export function createHolds(
  ledger: Pick<MediaLedger, 'get' | 'release' | 'reject'>,
  promotion: Promotion,
  eraser: Eraser,
  clock: () => number,
): Holds {
  return {
    release: (id) => ledger.release(id),

    async reject(id, { actor } = {}) {
      while (!(await ledger.reject(id, toActor(actor), clock()))) {
        const medium = await ledger.get(id)
        if (!medium || medium.heldAt === null || GOING.includes(medium.state)) return false
        // A promotion that is under way is ended first, so that it cannot bring bytes back.
        await promotion.promote(id, { givesUp: true })
      }
      await eraser.erase(id)
      return true
    },
  }
}
