import { candidatesOf, firstReference, LISTED_AFTER, neverReferenced } from './candidates.ts'
import { ACTOR, type Act, type Chore, type ChoreDependencies, dropFrom, toChore } from './chore.ts'

/** Finalized files that no record has. */
export async function* savedFiles(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const drop = dropFrom(dependencies)
  const range = await unsavedRange(dependencies)
  if (range !== null) {
    const act = drop({ from: ['permanent'], reason: 'unsaved', actor: ACTOR, wasReferenced: false })
    for await (const medium of neverReferenced(database, range))
      yield toChore('unsaved', medium, act)
  }
  const orphanedBy = clock() - settings.orphanGrace * 1000
  for await (const medium of candidatesOf(database, {
    state: 'orphaned',
    time: 'orphanedAt',
    until: orphanedBy,
  })) {
    // Whoever orphaned it, and why, stays on record.
    const { reason, actor } = medium
    const departure = {
      from: ['orphaned'],
      reason: reason ?? 'orphaned',
      actor: actor ?? ACTOR,
      orphanedBy,
    } as const
    yield toChore('orphaned', medium, drop(departure))
  }
}

/** Broken off so long ago that what is completed would be unsaved: it is not completed any more. */
export async function* neverPromoted(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const range = await unsavedRange(dependencies)
  if (range === null) return
  const act = dropFrom(dependencies)({ from: ['promoting'], reason: 'unsaved', actor: ACTOR })
  const promoting = {
    state: 'promoting',
    time: 'changedAt',
    ...range,
    unreferenced: true,
  } as const
  for await (const medium of candidatesOf(dependencies.database, promoting))
    yield toChore('unsaved', medium, act)
}

/**
 * Lists files that {@link neverReferenced} finds and that are not deleted. Without `unsavedGrace` these are all, and
 * only a dry run lists them. With it, these are files that may be mentioned in texts unknown to the editor.
 */
export async function* keptFiles(
  dependencies: ChoreDependencies,
  isDryRun: boolean,
): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const { unsavedGrace } = settings
  if (unsavedGrace === null && !isDryRun) return
  const tracked = unsavedGrace === null ? null : await trackedSince(dependencies)
  const age = unsavedGrace === null ? LISTED_AFTER : unsavedGrace * 1000
  const until = Math.min((tracked ?? Number.POSITIVE_INFINITY) - 1, clock() - age)
  for await (const medium of neverReferenced(database, { until })) {
    yield toChore('never_referenced', medium, async () => true)
  }
}

/** Files that lost their last reference without anybody noticing. */
export async function* unsettled({
  database,
  settings,
  ledger,
  clock,
}: ChoreDependencies): AsyncGenerator<Chore> {
  if (!settings.cleanupMedia) return
  const orphan: Act = ({ id }) => {
    const why = { reason: 'orphaned', actor: ACTOR, wasReferenced: true } as const
    return ledger.leave(id, { ...why, from: ['permanent'], to: 'orphaned', at: clock() })
  }
  const permanent = { state: 'permanent', time: 'createdAt', until: clock() } as const
  for await (const medium of candidatesOf(database, { ...permanent, unreferenced: true })) {
    if (medium.referencedAt !== null) yield toChore('unsettled', medium, orphan)
  }
}

/** Returns the times between which files were finalized that are `unsaved` now, in milliseconds; null: no file is. */
async function unsavedRange(
  dependencies: ChoreDependencies,
): Promise<{ readonly from: number; readonly until: number } | null> {
  const { settings, clock } = dependencies
  if (settings.unsavedGrace === null) return null
  const from = await trackedSince(dependencies)
  return from === null ? null : { from, until: clock() - settings.unsavedGrace * 1000 }
}

/**
 * Since when the application tells which records reference what, in milliseconds: what was finalized before may stand
 * in texts that nobody told of. Null: it does not.
 */
async function trackedSince({ installation, database }: ChoreDependencies): Promise<number | null> {
  if ((await installation.lastRebuild()) !== null) return 0
  const times = [await installation.trackedSince(), await firstReference(database)].filter(
    (time) => time !== null,
  )
  return times.length === 0 ? null : Math.min(...times)
}
