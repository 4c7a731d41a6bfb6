import { candidatesOf } from './candidates.ts'
import { type Act, type Chore, type ChoreDependencies, toChore } from './chore.ts'
import { neverPromoted } from './saved-files.ts'

/** Seconds after which a promotion counts as broken off; one that still runs is not hurt. */
export const INTERRUPTED_AFTER = 3600

/**
 * Uploads, promotions and deletions that were broken off.
 *
 * @param uploadAge seconds after which an upload counts as broken off
 */
export async function* interrupted(
  dependencies: ChoreDependencies,
  uploadAge: number,
): AsyncGenerator<Chore> {
  const { database, settings, ledger, eraser, promotion, clock } = dependencies
  const now = clock()
  // What is not done, or failed, is not ended in another way besides; a dry run would count it twice.
  const unsaved = new Set<string>()
  for await (const chore of neverPromoted(dependencies)) {
    if (chore.id !== null) unsaved.add(chore.id)
    yield chore
  }
  const endUpload: Act = async ({ id }) => {
    if (!(await ledger.giveUp(id, 'uploading', 'upload_failed', clock()))) return false
    await eraser.erase(id)
    return true
  }
  const endPromotion: Act = async ({ id }) => {
    await promotion.promote(id, { givesUp: true })
    await eraser.erase(id) // Only when its bytes are lost and it was given up.
    return true
  }
  const endDeletion: Act = async ({ id }) => (await eraser.erase(id)) !== null
  const seconds = Math.min(settings.tempMaxAge, INTERRUPTED_AFTER)
  for (const [state, time, until, act] of [
    ['uploading', 'createdAt', now - uploadAge * 1000, endUpload],
    ['promoting', 'changedAt', now - seconds * 1000, endPromotion],
    ['deleting', 'changedAt', now, endDeletion],
  ] as const) {
    for await (const medium of candidatesOf(database, { state, time, until })) {
      if (!unsaved.has(medium.id)) yield toChore('interrupted', medium, act)
    }
  }
}
