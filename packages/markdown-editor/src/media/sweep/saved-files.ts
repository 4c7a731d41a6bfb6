import type { Medium } from '../ledger/medium.ts'
import { type Candidates, candidatesOf, firstReference } from './candidates.ts'
import { ACTOR, type Act, type Chore, type ChoreDependencies, dropFrom, toChore } from './chore.ts'

/** Finalized files that no record has. */
export async function* savedFiles(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const drop = dropFrom(dependencies)
  const from = await trackedSince(dependencies)
  if (from !== null) {
    const act = drop({ from: ['permanent'], reason: 'unsaved', actor: ACTOR, wasReferenced: false })
    for await (const medium of unsavedOf(dependencies, { from })) yield toChore('unsaved', medium, act)
  }
  const orphanedBy = clock() - settings.orphanGrace * 1000
  for await (const medium of candidatesOf(database, { state: 'orphaned', time: 'orphaned_at', until: orphanedBy })) {
    // Whoever orphaned it, and why, stays on record.
    const { reason, actor } = medium
    const departure = { from: ['orphaned'], reason: reason ?? 'orphaned', actor: actor ?? ACTOR, orphanedBy } as const
    yield toChore('orphaned', medium, drop(departure))
  }
}

/** Broken off so long ago that what is completed would be unsaved: it is not completed any more. */
export async function* neverPromoted(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const from = await trackedSince(dependencies)
  if (from === null) return
  const act = dropFrom(dependencies)({ from: ['promoting'], reason: 'unsaved', actor: ACTOR })
  const until = clock() - settings.unsavedGrace * 1000
  const promoting = { state: 'promoting', time: 'changed_at', from, until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, promoting)) yield toChore('unsaved', medium, act)
}

/** Files that would be unsaved, but may stand in texts that nobody told of. */
export async function* kept(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const since = (await trackedSince(dependencies)) ?? Number.POSITIVE_INFINITY
  const until = Math.min(since - 1, dependencies.clock() - dependencies.settings.unsavedGrace * 1000)
  for await (const medium of unsavedOf(dependencies, { until })) yield toChore('kept', medium, async () => true)
}

/** Files that lost their last reference without anybody noticing. */
export async function* unsettled({ database, settings, ledger, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  if (!settings.cleanupMedia) return
  const orphan: Act = ({ id }) => {
    const why = { reason: 'orphaned', actor: ACTOR, wasReferenced: true } as const
    return ledger.leave(id, { ...why, from: ['permanent'], to: 'orphaned', at: clock() })
  }
  const permanent = { state: 'permanent', time: 'created_at', until: clock() } as const
  for await (const medium of candidatesOf(database, { ...permanent, unreferenced: true })) {
    if (medium.referencedAt !== null) yield toChore('unsettled', medium, orphan)
  }
}

/** Finalized long ago, and never saved in a record. */
function unsavedOf(
  { database, settings, clock }: ChoreDependencies,
  range: Partial<Pick<Candidates, 'from' | 'until'>>,
): AsyncGenerator<Medium> {
  const until = clock() - settings.unsavedGrace * 1000
  // Those that are referenced are so by somebody else only; see `references.set`.
  return candidatesOf(database, { state: 'permanent', time: 'finalized_at', until, unreferenced: true, ...range })
}

/**
 * Since when the application tells which records reference what, in milliseconds: what was finalized before may stand
 * in texts that nobody told of. Null: it does not.
 */
async function trackedSince({ installation, database }: ChoreDependencies): Promise<number | null> {
  if ((await installation.lastRebuild()) !== null) return 0
  const times = [await installation.trackedSince(), await firstReference(database)].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}
