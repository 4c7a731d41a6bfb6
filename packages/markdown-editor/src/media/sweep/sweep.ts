import { checks, field, type Input, optional, parse } from '@quillgate/server/core'
import { DifferenceList } from '../differences.ts'
import type { MediaServices } from '../services.ts'
import type { SweepItem, SweepKind, SweepReport } from './sweep-report.ts'
import { sweepTasks } from './tasks.ts'

const SWEEP_OPTIONS = {
  /** If true, reports the changes without making them. */
  dryRun: field(checks.boolean, false),
  /** If this signal is aborted, the sweep stops after its current file. */
  signal: optional(checks.anything<AbortSignal>()),
}

/** Options of `editor.sweep`. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/**
 * Runs all sweep tasks. Sweeps can overlap or be killed, because each step is a compare-and-set.
 */
export async function sweep(
  media: MediaServices,
  options: SweepOptions = {},
): Promise<SweepReport> {
  const { dryRun, signal } = parse(SWEEP_OPTIONS, options, 'sweep')
  const counts: Record<SweepKind, number> = {
    ...{ expired: 0, unsaved: 0, unsettled: 0, orphaned: 0, interrupted: 0, forgotten: 0 },
    ...{ never_referenced: 0, stray: 0 },
  }
  const items: SweepItem[] = []
  let failed = 0
  const guard = await media.installation.deletionGuard()
  const isReportOnly = dryRun || guard !== null
  for await (const { act, ...item } of sweepTasks(media, isReportOnly)) {
    if (signal?.aborted) break
    try {
      if (!isReportOnly && !(await act())) continue
      counts[item.kind]++
      if (items.length < DifferenceList.MAX_ITEMS) items.push(item)
    } catch (error) {
      failed++
      const task = `"${item.kind}" for ${item.key}`
      media.logger.error(`The sweep task ${task} failed. The next sweep will try again.`, error)
    }
  }
  const { never_referenced: neverReferenced, stray: strays, ...others } = counts
  return { dryRun, stopped: guard, ...others, neverReferenced, strays, failed, items }
}
