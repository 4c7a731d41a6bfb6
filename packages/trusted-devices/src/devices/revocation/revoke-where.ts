import type { DeviceEvent, RevocationReason } from '../device-event.ts'
import type { Parts } from '../registry-parts.ts'
import type { TrustedDevice } from '../trusted-device.ts'
import type { CleanupFailure } from './cleanup.ts'
import type { ParsedFilter } from './filter.ts'
import { countMatching, findMatchingOwners, findMatchingPage, removeMatching } from './matching.ts'
import { publishSideBySide } from './side-by-side.ts'

/** The result of a revocation by a filter, or of its dry run. */
export interface RevocationReport {
  /** Devices that were revoked; in a dry run, those that are meant. */
  readonly revoked: number
  readonly dryRun: boolean
  /** In a dry run the ten that were used last, else none. */
  readonly sample: readonly TrustedDevice[]
  /** Users whose devices could not be revoked; the others' were. */
  readonly failures: readonly CleanupFailure[]
}

const SAMPLE_SIZE = 10
const USERS_PER_READ = 500

/** Counts the devices that a filter means, and shows some. */
export async function previewRevocation(
  { db }: Parts<'db'>,
  filter: ParsedFilter,
): Promise<RevocationReport> {
  const { records } = await findMatchingPage(db, filter, { limit: SAMPLE_SIZE, after: null })
  const revoked = await countMatching(db, filter)
  return { revoked, dryRun: true, sample: records.map(({ device }) => device), failures: [] }
}

/**
 * Revokes the devices that a filter means, one transaction per user. The filter is part of each
 * delete, so a device that changed meanwhile stays; what was stopped half-way is finished by doing
 * it again. Devices that are gone already are trusted no more: those that the filter means, or,
 * where it asks for what is not remembered of them, all of the users whose devices it means.
 *
 * @param publish publishes the events of one user after the commit, and waits for the receivers
 */
export async function revokeWhere(
  parts: Parts<'changes' | 'db' | 'revoked'>,
  filter: ParsedFilter,
  reason: RevocationReason,
  publish: (events: readonly DeviceEvent[]) => Promise<void>,
): Promise<RevocationReport> {
  let revoked = 0
  const failures = new Map<string, unknown>()
  const change = async (userId: string): Promise<readonly DeviceEvent[]> => {
    if (failures.has(userId)) return []
    try {
      const { result, events } = await revokeOf(parts, userId, filter, reason)
      revoked += result
      return events
    } catch (error) {
      failures.set(userId, error)
      return []
    }
  }
  await publishSideBySide(ownersOf(parts, filter), change, publish)
  return {
    revoked,
    dryRun: false,
    sample: [],
    failures: [...failures].map(([userId, error]) => ({ userId, error })),
  }
}

function revokeOf(
  parts: Parts<'changes' | 'db' | 'revoked'>,
  userId: string,
  filter: ParsedFilter,
  reason: RevocationReason,
) {
  return parts.changes.run(userId, async (change) => {
    const removed = await removeMatching(parts.db, change.tx, userId, filter)
    if (filter.revoked || removed.length > 0) {
      await parts.revoked.distrust(change.tx, userId, filter.revoked)
    }
    await change.revoked(removed, reason, null)
    return removed.length
  })
}

/** Whose devices a filter means: first those that are there, then trusted ones that are gone. */
async function* ownersOf(
  { db, revoked }: Parts<'db' | 'revoked'>,
  filter: ParsedFilter,
): AsyncGenerator<string> {
  yield* findMatchingOwners(db, filter)
  if (!filter.revoked) return
  for (let last = ''; ; ) {
    const owners = await revoked.ownersOfReturning(
      db.executor,
      filter.revoked,
      last,
      USERS_PER_READ,
    )
    yield* owners
    if (owners.length < USERS_PER_READ) return
    last = owners.at(-1) ?? ''
  }
}
