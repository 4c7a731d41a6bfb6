import { checks, field, type Input, type Logger, optional, parse } from '@quillgate/server/core'
import type { MediaServices } from '../services.ts'
import { countFiles, deletionLimit } from './candidates.ts'
import { type SweepKind, type SweepReport, SweepTally } from './sweep-report.ts'
import { allTasks, dueTasks, finalizedFiles, type SweepTask } from './tasks.ts'

const SWEEP_OPTIONS = {
  /** True: only report what would be done. */
  dryRun: field(checks.boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(checks.boolean, false),
  /**
   * Most files that are handled. Files that can only be found by reading all files or the storage
   * are skipped. For a sweep during other work (`keepGoing`).
   */
  limit: optional(checks.whole(0)),
  /**
   * True: if there is too much to delete, skip only that kind of files, and delete as many
   * temporary ones as allowed; for sweeps without an operator. False: then delete nothing.
   */
  keepGoing: field(checks.boolean, false),
  /** Ends the sweep after the file that it is handling. */
  signal: optional(checks.anything<AbortSignal>()),
}

/** Options of `editor.sweep`. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/** The limits of one sweep. */
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
 * Deletes files whose time is over and completes interrupted work. It may run several times at
 * once, and it may be killed: every step is one compare-and-set of the ledger.
 */
export async function sweep(
  media: MediaServices,
  options: SweepOptions = {},
): Promise<SweepReport> {
  const { dryRun, force, keepGoing, limit, signal } = parse(SWEEP_OPTIONS, options, 'sweep')
  const guard = await media.installation.deletionGuard()
  if (dryRun || guard !== null) {
    const tally = new SweepTally()
    for await (const task of allTasks(media, true)) tally.add(task)
    return tally.report(dryRun, guard)
  }
  const isPartial = limit !== undefined
  // A limit allows so few temporary files that they are never too many: only the others must be
  // counted.
  const counted = isPartial ? finalizedFiles(media) : allTasks(media)
  const limits = force ? NO_LIMITS : await limitsFor(media, counted, signal)
  if (limits.tooMany && !isPartial && !keepGoing) return limits.tooMany.report(false, 'too_many')
  const tasks = isPartial ? dueTasks(media) : allTasks(media)
  const tally = await runTasks(tasks, limits, media.logger, limit, signal)
  const isStopped = limits.excessive.some((kind) => !TEMPORARY.includes(kind))
  const report = tally.report(false, isStopped ? 'too_many' : null)
  const { neverReferenced } = report
  if (neverReferenced > 0) media.logger.warn(NEVER_REFERENCED, { neverReferenced })
  return report
}

/** Counts the files that would be deleted. */
async function limitsFor(
  { database, settings }: MediaServices,
  tasks: AsyncIterable<SweepTask>,
  signal: AbortSignal | undefined,
): Promise<Limits> {
  const tally = new SweepTally()
  for await (const task of tasks) {
    if (signal?.aborted) break
    tally.add(task)
  }
  const kinds: SweepKind[] = [...DELETIONS]
  if (settings.orphanGrace === 0) kinds.push('unsettled')
  const all = kinds.reduce((sum, kind) => sum + tally.count(kind), 0)
  const least = deletionLimit(0)
  const most = all > least ? deletionLimit(await countFiles(database)) : least
  const excessive = kinds.filter((kind) => tally.count(kind) > most)
  return { most, excessive, tooMany: all > most ? tally : null }
}

async function runTasks(
  tasks: AsyncIterable<SweepTask>,
  { most, excessive }: Limits,
  logger: Logger,
  limit = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<SweepTally> {
  const tally = new SweepTally()
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
