import { checks, field, type Input, optional, parse } from '@quillgate/server/core'
import type { MediaServices } from '../services.ts'
import { type SweepReport, SweepTally } from './sweep-report.ts'
import { sweepTasks } from './tasks.ts'

const SWEEP_OPTIONS = {
  /** Whether to only report what would be done. */
  dryRun: field(checks.boolean, false),
  /** Stops the sweep after its current file. */
  signal: optional(checks.anything<AbortSignal>()),
}

/** Options of `editor.sweep`. */
export type SweepOptions = Input<typeof SWEEP_OPTIONS>

/** Several sweeps may run at once and be killed, because every step is a compare-and-set. */
export async function sweep(
  media: MediaServices,
  options: SweepOptions = {},
): Promise<SweepReport> {
  const { dryRun, signal } = parse(SWEEP_OPTIONS, options, 'sweep')
  const tally = new SweepTally()
  const guard = await media.installation.deletionGuard()
  const isReportOnly = dryRun || guard !== null
  for await (const task of sweepTasks(media, isReportOnly)) {
    if (signal?.aborted) break
    try {
      if (isReportOnly || (await task.act())) tally.add(task)
    } catch (error) {
      tally.fail()
      const what = `"${task.kind}" of ${task.key}`
      media.logger.error(`The sweep could not end ${what}; the next one tries again.`, error)
    }
  }
  return tally.report(dryRun, guard)
}
