import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '@quillgate/server/core'
import type { DeletedUser, User, UserDirectory } from '../devices/users.ts'

/** How {@link findOwner} asks for the user of an event. */
export interface OwnerLookup {
  readonly users: Pick<UserDirectory, 'find' | 'deleted'>
  /** Seconds before each further attempt. @default {@link OWNER_PAUSES} */
  readonly pauses?: readonly number[]
}

const PATIENCE = 10 // Seconds that one attempt may take.
const OWNER_PAUSES: readonly number[] = [0.25, 1, 4, 16]

/**
 * Finds the owner of an event. While the users' database fails, it asks again after each pause.
 * Only an answer of the database makes a user a deleted one.
 *
 * @param signal ends the pauses: there is no further attempt
 * @throws what the last attempt threw
 */
export async function findOwner(
  { users, pauses = OWNER_PAUSES }: OwnerLookup,
  userId: string,
  signal: AbortSignal,
): Promise<User | DeletedUser> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await withTimeout(PATIENCE, users.find(userId), giveUp)) ?? users.deleted(userId)
    } catch (error) {
      const pause = pauses[attempt]
      if (pause === undefined || signal.aborted) throw error
      await sleep(pause * 1000, undefined, { signal }).catch(() => {})
    }
  }
}

function giveUp(): never {
  throw new Error(`users.findById gave no answer within ${PATIENCE} s.`)
}
