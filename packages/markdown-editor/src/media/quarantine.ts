import type { ActorOptions } from './cleanup.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import { toActor } from './ledger/principal.ts'
import type { Promote } from './promotion.ts'
import type { Purge } from './purge.ts'

/** Decides about files that the scanner has put into quarantine. */
export interface Quarantine {
  /**
   * Lets a file be served, also if its upload has not ended. Returns false if the file is not in
   * quarantine, or does not exist any more.
   */
  release(id: string): Promise<boolean>
  /**
   * Deletes a file that is in quarantine, whether records reference it or not. An upload that has
   * not ended fails with 422 `validation_error`.
   *
   * @returns false if there is no such file, or it is not in quarantine
   * @throws QuillgateError `storage_failed`; the file is no longer served, and the next sweep
   * deletes its bytes
   */
  reject(id: string, options?: ActorOptions): Promise<boolean>
}

/** Creates the quarantine of a ledger. */
export function createQuarantine(
  ledger: Pick<MediaLedger, 'get' | 'release' | 'reject'>,
  promote: Promote,
  purge: Purge,
  clock: () => number,
): Quarantine {
  return {
    release: (id) => ledger.release(id),

    async reject(id, { actor } = {}) {
      while (!(await ledger.reject(id, toActor(actor), clock()))) {
        const medium = await ledger.get(id)
        if (!medium || medium.quarantinedAt === null) return false
        if (medium.state === 'deleting' || medium.state === 'deleted') return false
        // A promotion that still runs is completed first, so that it cannot bring bytes back.
        await promote(id, { givesUp: true })
      }
      await purge(id)
      return true
    },
  }
}
