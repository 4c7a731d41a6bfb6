import { checks, field, type Input, optional, parse } from '@quillgate/server/core'
import type { MediaServices } from '../services.ts'
import { countFiles } from './candidates.ts'
import { type SweepKind, type SweepReport, SweepTally } from './sweep-report.ts'
import { allTasks, deletionsOfFinalized, dueTasks } from './tasks.ts'

const SWEEP_OPTIONS = {
  /** True: only report what would be done. */
  dryRun: field(checks.boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(checks.boolean, false),
  /**
   * The maximum number of files to handle, for a sweep during other work. Files that can only be
   * found by reading all files or the storage are skipped.
   */
  limit: optional(checks.whole(0)),
  /** Ends the sweep after the file that it is handling. */
  signal: optional(checks.anything<AbortSignal>()),
}

/** Options of `editor.sweep`. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/** Up to this many files may be deleted without counting all files. */
const FEW = 1000
/** Beyond that, this share of all files may be deleted. */
const SHARE = 0.05

/** Kinds of finalized files that are deleted, at once or later. */
const FINALIZED: readonly SweepKind[] = ['unsaved', 'orphaned', 'unsettled']

/**
 * Deletes files whose time is over and completes interrupted work. It may run several times at
 * once, and it may be killed: every step is one compare-and-set of the ledger.
 *
 * If too many finalized files would be deleted, they are kept. Temporary files were never saved, so
 * deleting many of them is no loss.
 */
export async function sweep(
  media: MediaServices,
  options: SweepOptions = {},
): Promise<SweepReport> {
  const { dryRun, force, limit, signal } = parse(SWEEP_OPTIONS, options, 'sweep')
  const tally = new SweepTally()
  const guard = await media.installation.deletionGuard()
  if (dryRun || guard !== null) {
    for await (const task of allTasks(media, true)) tally.add(task)
    return tally.report(dryRun, guard)
  }
  const isPartial = limit !== undefined
  const isTooMuch = !force && (await deletesTooMuch(media, isPartial, signal))
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const task of isPartial ? dueTasks(media) : allTasks(media)) {
    if (signal?.aborted) break
    if (isTooMuch && FINALIZED.includes(task.kind)) continue
    if (left-- <= 0) break
    try {
      if (await task.act()) tally.add(task)
    } catch (error) {
      tally.fail()
      const what = `"${task.kind}" of ${task.key}`
      media.logger.error(`The sweep could not end ${what}; the next one tries again.`, error)
    }
  }
  return tally.report(false, isTooMuch ? 'too_many' : null)
}

/** Whether more finalized files would be deleted than max(1,000, 5 % of all). */
async function deletesTooMuch(
  media: MediaServices,
  isPartial: boolean,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let count = 0
  for await (const _ of deletionsOfFinalized(media, isPartial)) {
    if (signal?.aborted) break
    count++
  }
  return count > FEW && count > SHARE * (await countFiles(media.database))
}
