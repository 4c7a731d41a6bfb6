import {
  anything,
  boolean,
  field,
  type Input,
  type Logger,
  optional,
  whole,
} from '@quillgate/server/core'
import type { Installation } from '../ledger/installation.ts'
import { countFiles, deletionLimit } from './candidates.ts'
import type { Chore, ChoreDependencies } from './chore.ts'
import { allChores, dueChores } from './chores.ts'
import { savedFiles } from './saved-files.ts'
import {
  createSweepTally,
  type SweepKind,
  type SweepReport,
  type SweepTally,
} from './sweep-report.ts'

/** The options of a sweep. */
export const SWEEP_OPTIONS = {
  /** True: only report what would be done. */
  dryRun: field(boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(boolean, false),
  /**
   * Most files that are handled. Files that can only be found by reading all files or the storage are skipped. For a
   * sweep beside other work, which continues (`keepGoing`).
   */
  limit: optional(whole(0)),
  /**
   * True: if there is too much to delete, skip only that kind of files, and delete as many temporary ones as allowed;
   * for sweeps that nobody watches. False: then delete nothing.
   */
  keepGoing: field(boolean, false),
  /** Ends the sweep after the file that it is handling. */
  signal: optional(anything<AbortSignal>()),
}

/** What is swept, and how much. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/** What {@link createSweep} needs. */
export interface SweepDependencies extends ChoreDependencies {
  readonly installation: Pick<Installation, 'banOnDeletion' | 'lastRebuild' | 'trackedSince'>
  readonly logger: Logger
}

/** Never saved by anybody, so never a loss. */
const TEMPORARY: readonly SweepKind[] = ['expired', 'stray']
const DELETIONS: readonly SweepKind[] = [...TEMPORARY, 'unsaved', 'orphaned']
const NO_BRAKE = {
  most: Number.POSITIVE_INFINITY,
  excessive: [] as readonly SweepKind[],
  tooMany: null,
} as const
const NEVER_REFERENCED =
  'Finalized files are kept although unsavedGrace is over, because texts that were saved earlier may mention ' +
  'them. Call references.set when a record is saved, and run "markdown-editor reindex" once for the texts ' +
  'saved before.'

/**
 * Makes the function that deletes what has outlived its time and completes what was broken off. It may run several
 * times at once, and it may be killed: every step is one compare-and-set of the ledger.
 */
export function createSweep(
  dependencies: SweepDependencies,
): (options?: SweepOptions) => Promise<SweepReport> {
  const { database, installation, settings, logger } = dependencies

  const survey = async (): Promise<SweepTally> => {
    const tally = createSweepTally()
    for await (const chore of allChores(dependencies, true)) tally.add(chore)
    return tally
  }

  const isDeletion = (kind: SweepKind): boolean =>
    DELETIONS.includes(kind) || (kind === 'unsettled' && settings.orphanGrace === 0)

  /** Which kinds are too many by themselves, and what there is when all are together. */
  const countDeletions = async (chores: AsyncIterable<Chore>, signal: AbortSignal | undefined) => {
    const tally = createSweepTally()
    const counts = new Map<SweepKind, number>()
    let all = 0
    for await (const chore of chores) {
      if (signal?.aborted) break
      tally.add(chore)
      const { kind } = chore
      if (!isDeletion(kind)) continue
      all++
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    const most =
      all > deletionLimit(0) ? deletionLimit(await countFiles(database)) : deletionLimit(0)
    const excessive = [...counts].filter(([, count]) => count > most).map(([kind]) => kind)
    return { most, excessive, tooMany: all > most ? tally : null }
  }

  return async ({ dryRun = false, force = false, keepGoing = false, limit, signal } = {}) => {
    const ban = await installation.banOnDeletion()
    if (dryRun || ban !== null) return (await survey()).report(dryRun, ban)
    const isPartial = limit !== undefined
    const chores = () => (isPartial ? dueChores(dependencies) : allChores(dependencies))
    // As few temporary files as a limit allows are never too many: only the others must be counted.
    const counted = isPartial ? savedFiles(dependencies) : allChores(dependencies)
    const { most, excessive, tooMany } = force ? NO_BRAKE : await countDeletions(counted, signal)
    if (tooMany && !isPartial && !keepGoing) return tooMany.report(false, 'too_many')
    const tally = createSweepTally()
    let left = limit ?? Number.POSITIVE_INFINITY
    let temporary = most
    for await (const chore of chores()) {
      if (signal?.aborted) break
      const isTemporary = TEMPORARY.includes(chore.kind)
      if (isTemporary ? temporary-- <= 0 : excessive.includes(chore.kind)) continue
      if (left-- <= 0) break
      try {
        if (await chore.act()) tally.add(chore)
      } catch (error) {
        tally.fail()
        logger.error(
          `The sweep could not end "${chore.kind}" of ${chore.key}; the next one tries again.`,
          error,
        )
      }
    }
    const isStopped = excessive.some((kind) => !TEMPORARY.includes(kind))
    const report = tally.report(false, isStopped ? 'too_many' : null)
    const { neverReferenced } = report
    if (neverReferenced > 0) logger.warn(NEVER_REFERENCED, { neverReferenced })
    return report
  }
}
