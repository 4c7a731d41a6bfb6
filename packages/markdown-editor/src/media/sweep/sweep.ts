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
import { savedFiles } from './saved-files.ts'
import {
  createSweepTally,
  type SweepKind,
  type SweepReport,
  type SweepTally,
} from './sweep-report.ts'
import type { SweepTask, SweepTaskDependencies } from './task.ts'
import { allTasks, dueTasks } from './tasks.ts'

/** The options of a sweep. */
export const SWEEP_OPTIONS = {
  /** True: only report what would be done. */
  dryRun: field(boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(boolean, false),
  /**
   * Most files that are handled. Files that can only be found by reading all files or the storage
   * are skipped. For a sweep during other work (`keepGoing`).
   */
  limit: optional(whole(0)),
  /**
   * True: if there is too much to delete, skip only that kind of files, and delete as many
   * temporary ones as allowed; for sweeps without an operator. False: then delete nothing.
   */
  keepGoing: field(boolean, false),
  /** Ends the sweep after the file that it is handling. */
  signal: optional(anything<AbortSignal>()),
}

/** Options of a sweep. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/** The collaborators of {@link createSweep}. */
export interface SweepDependencies extends SweepTaskDependencies {
  readonly installation: Pick<Installation, 'deletionGuard' | 'lastRebuild' | 'trackedSince'>
  readonly logger: Logger
}

/** The deletion guard of one sweep. */
interface Limits {
  /** How many files of one kind may be deleted. */
  readonly most: number
  /** Kinds that exceed this. */
  readonly excessive: readonly SweepKind[]
  /** All files that would be deleted, if they are too many together. */
  readonly tooMany: SweepTally | null
}

/** These were never saved, so deleting them is not a loss. */
const TEMPORARY: readonly SweepKind[] = ['expired', 'stray']
const DELETIONS: readonly SweepKind[] = [...TEMPORARY, 'unsaved', 'orphaned']
const NO_LIMITS: Limits = { most: Number.POSITIVE_INFINITY, excessive: [], tooMany: null }
const NEVER_REFERENCED =
  'Finalized files are kept although unsavedGrace is over, because texts that were saved earlier may mention ' +
  'them. Call references.set when a record is saved, and run "markdown-editor reindex" once for the texts ' +
  'saved before.'

/**
 * Creates the function that deletes files whose time is over and completes interrupted work. It may
 * run several times at once, and it may be killed: every step is one compare-and-set of the ledger.
 */
export function createSweep(
  deps: SweepDependencies,
): (options?: SweepOptions) => Promise<SweepReport> {
  const { installation, logger } = deps
  return async (options = {}) => {
    const { dryRun = false, force = false, keepGoing = false, limit, signal } = options
    const guard = await installation.deletionGuard()
    if (dryRun || guard !== null) {
      const tally = createSweepTally()
      for await (const task of allTasks(deps, true)) tally.add(task)
      return tally.report(dryRun, guard)
    }
    const isPartial = limit !== undefined
    // A limit allows so few temporary files that they are never too many: only the others must be
    // counted.
    const counted = isPartial ? savedFiles(deps) : allTasks(deps)
    const limits = force ? NO_LIMITS : await limitsFor(deps, counted, signal)
    if (limits.tooMany && !isPartial && !keepGoing) return limits.tooMany.report(false, 'too_many')
    const tasks = isPartial ? dueTasks(deps) : allTasks(deps)
    const tally = await runTasks(tasks, limits, options, logger)
    const isStopped = limits.excessive.some((kind) => !TEMPORARY.includes(kind))
    const report = tally.report(false, isStopped ? 'too_many' : null)
    const { neverReferenced } = report
    if (neverReferenced > 0) logger.warn(NEVER_REFERENCED, { neverReferenced })
    return report
  }
}

/** Counts the files that would be deleted. */
async function limitsFor(
  { database, settings }: SweepDependencies,
  tasks: AsyncIterable<SweepTask>,
  signal: AbortSignal | undefined,
): Promise<Limits> {
  const tally = createSweepTally()
  const counts = new Map<SweepKind, number>()
  let all = 0
  for await (const task of tasks) {
    if (signal?.aborted) break
    tally.add(task)
    const { kind } = task
    const isUnsettled = kind === 'unsettled' && settings.orphanGrace === 0
    if (!isUnsettled && !DELETIONS.includes(kind)) continue
    all++
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const least = deletionLimit(0)
  const most = all > least ? deletionLimit(await countFiles(database)) : least
  const excessive = [...counts].filter(([, count]) => count > most).map(([kind]) => kind)
  return { most, excessive, tooMany: all > most ? tally : null }
}

async function runTasks(
  tasks: AsyncIterable<SweepTask>,
  { most, excessive }: Limits,
  { limit = Number.POSITIVE_INFINITY, signal }: SweepOptions,
  logger: Logger,
): Promise<SweepTally> {
  const tally = createSweepTally()
  let left = limit
  let temporary = most
  for await (const task of tasks) {
    if (signal?.aborted) break
    const isTemporary = TEMPORARY.includes(task.kind)
    if (isTemporary ? temporary-- <= 0 : excessive.includes(task.kind)) continue
    if (left-- <= 0) break
    try {
      if (await task.act()) tally.add(task)
    } catch (error) {
      tally.fail()
      const what = `"${task.kind}" of ${task.key}`
      logger.error(`The sweep could not end ${what}; the next one tries again.`, error)
    }
  }
  return tally
}
