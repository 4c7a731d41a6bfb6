import { candidatesOf, firstReference, LISTED_AFTER, neverReferenced } from './candidates.ts'
import {
  ACTOR,
  type Act,
  deletion,
  type SweepTask,
  type SweepTaskDependencies,
  toTask,
} from './task.ts'

/** Yields finalized files that no record references and whose grace is over. */
export async function* savedFiles(deps: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  const { database, settings, clock } = deps
  const range = await unsavedRange(deps)
  if (range !== null) {
    const why = { reason: 'unsaved', actor: ACTOR, wasReferenced: false } as const
    const act = deletion(deps, { from: ['permanent'], ...why })
    for await (const medium of neverReferenced(database, range))
      yield toTask('unsaved', medium, act)
  }
  const until = clock() - settings.orphanGrace * 1000
  const orphaned = { state: 'orphaned', time: 'orphanedAt', until } as const
  for await (const medium of candidatesOf(database, orphaned)) {
    // The ledger keeps who orphaned it, and why.
    const why = { reason: medium.reason ?? 'orphaned', actor: medium.actor ?? ACTOR }
    const act = deletion(deps, { from: ['orphaned'], ...why, orphanedBy: until })
    yield toTask('orphaned', medium, act)
  }
}

/**
 * Yields promotions that were interrupted so long ago that the completed files would be deleted as
 * unsaved.
 */
export async function* neverPromoted(deps: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  const range = await unsavedRange(deps)
  if (range === null) return
  const act = deletion(deps, { from: ['promoting'], reason: 'unsaved', actor: ACTOR })
  const promoting = { state: 'promoting', time: 'changedAt', ...range, unreferenced: true } as const
  for await (const medium of candidatesOf(deps.database, promoting))
    yield toTask('unsaved', medium, act)
}

/**
 * Lists files that {@link neverReferenced} finds and that are not deleted. Without `unsavedGrace`
 * these are all, and only a dry run lists them. With it, these are files that may be mentioned in
 * texts unknown to the editor.
 */
export async function* keptFiles(
  deps: SweepTaskDependencies,
  isDryRun: boolean,
): AsyncGenerator<SweepTask> {
  const { unsavedGrace } = deps.settings
  if (unsavedGrace === null && !isDryRun) return
  const tracked = unsavedGrace === null ? null : await trackedSince(deps)
  const age = unsavedGrace === null ? LISTED_AFTER : unsavedGrace * 1000
  const until = Math.min((tracked ?? Number.POSITIVE_INFINITY) - 1, deps.clock() - age)
  for await (const medium of neverReferenced(deps.database, { until }))
    yield toTask('never_referenced', medium, async () => true)
}

/** Yields files that lost their last reference and were not settled. */
export async function* unsettled({
  database,
  settings,
  ledger,
  clock,
}: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  if (!settings.cleanupMedia) return
  const orphan: Act = ({ id }) => {
    const why = { reason: 'orphaned', actor: ACTOR, wasReferenced: true } as const
    return ledger.transition(id, { ...why, from: ['permanent'], to: 'orphaned', at: clock() })
  }
  const permanent = { state: 'permanent', time: 'createdAt', until: clock() } as const
  for await (const medium of candidatesOf(database, { ...permanent, unreferenced: true })) {
    if (medium.referencedAt !== null) yield toTask('unsettled', medium, orphan)
  }
}

/**
 * Returns the range of times at which files were finalized that are unsaved now, in milliseconds;
 * null if no file is.
 */
async function unsavedRange(
  deps: SweepTaskDependencies,
): Promise<{ readonly from: number; readonly until: number } | null> {
  const { settings, clock } = deps
  if (settings.unsavedGrace === null) return null
  const from = await trackedSince(deps)
  return from === null ? null : { from, until: clock() - settings.unsavedGrace * 1000 }
}

/**
 * Returns the time since which the application writes references, in milliseconds; null: it does
 * not. Files that were finalized earlier may be mentioned in texts that the ledger does not know.
 */
async function trackedSince({
  installation,
  database,
}: SweepTaskDependencies): Promise<number | null> {
  if ((await installation.lastRebuild()) !== null) return 0
  const times = [await installation.trackedSince(), await firstReference(database)]
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
