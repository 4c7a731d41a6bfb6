import { setTimeout as sleep } from 'node:timers/promises'
import { isQuillgateError } from '@quillgate/server/core'
import type { DeviceFact } from '../facts.ts'
import type { RegistryParts } from '../registry-parts.ts'

const PAUSES = [0, 250, 1500] // Milliseconds before each look.
const PATIENCE = 3000 // Milliseconds that one look may take.

/** True when the connection broke during the commit, which may or may not have happened. */
export function isDoubtful(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'commit_unknown'
}

/**
 * Looks on another connection whether facts hold whose commit got no answer. Under the owner's lock, so that a commit
 * under way has ended. When somebody else revoked the device meanwhile its signal may be sent twice: better than never.
 *
 * @returns null when that cannot be told
 */
export async function findWhetherHolds(
  parts: RegistryParts,
  userId: string,
  facts: readonly DeviceFact[],
): Promise<boolean | null> {
  for (const pause of PAUSES) {
    await sleep(pause)
    const look = holds(parts, userId, facts).catch(() => null) // The database is still away: the next look may tell.
    const answer = await Promise.race([look, sleep(PATIENCE, null, { ref: false })])
    if (answer !== null) return answer
  }
  return null
}

/** One fact tells of all, for they were committed together. */
function holds(
  { db, table, clock, isRecorded }: RegistryParts,
  userId: string,
  facts: readonly DeviceFact[],
): Promise<boolean> {
  return db.forKnownUser(userId, clock(), async (tx) => {
    const witness = facts.find(({ kind }) => kind === 'created' || kind === 'revoked')
    if (!witness) return (await isRecorded?.(tx, facts)) ?? true // That somebody brought a copied secret is so, whatever was committed.
    const isThere = (await table.find(tx, witness.device.uid)) !== null
    return (await isRecorded?.(tx, facts)) ?? isThere === (witness.kind === 'created')
  })
}
