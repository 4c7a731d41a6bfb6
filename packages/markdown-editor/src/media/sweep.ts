import type { Logger } from '@quillgate/http'
import type { Installation } from './installation.ts'
import { countFiles, deletionLimit } from './sweep-candidates.ts'
import { allChores, type Chore, type ChoreDependencies, dueChores } from './sweep-chores.ts'
import { createSweepTally, type SweepKind, type SweepReport, type SweepTally } from './sweep-report.ts'

/** Options of a sweep. */
export interface SweepOptions {
  /** Only report what would be done. @default false */
  readonly dryRun?: boolean
  /** Delete even more than max(1,000, 5 % of all files). @default false */
  readonly force?: boolean
  /**
   * At most as many files, and none that takes a look at all files or at the storage to find; for a sweep beside other
   * work. @default no limit
   */
  readonly limit?: number
}

/** What {@link createSweep} needs. */
export interface SweepDependencies extends ChoreDependencies {
  readonly installation: Pick<Installation, 'banOnDeletion' | 'lastRebuild'>
  readonly logger: Logger
}

const DELETIONS: readonly SweepKind[] = ['expired', 'unsaved', 'orphaned', 'stray']
const KEPT = 'Finalized files are kept, for no record ever referenced any: call references.set when a record is saved.'

/**
 * Makes the function that deletes what has outlived its time and completes what was broken off. It may run several
 * times at once, and it may be killed: every step is one compare-and-set of the ledger.
 */
export function createSweep(dependencies: SweepDependencies): (options?: SweepOptions) => Promise<SweepReport> {
  const { database, installation, settings, logger } = dependencies

  const survey = async (): Promise<SweepTally> => {
    const tally = createSweepTally()
    for await (const chore of allChores(dependencies)) tally.add(chore)
    return tally
  }

  const isDeletion = (kind: SweepKind): boolean =>
    DELETIONS.includes(kind) || (kind === 'unsettled' && settings.orphanGrace === 0)

  /** Whether more would be deleted than may be without `force`. */
  const isTooMuch = async (chores: AsyncIterable<Chore>): Promise<boolean> => {
    let deletions = 0
    let most = deletionLimit(0)
    for await (const { kind } of chores) {
      if (!isDeletion(kind) || ++deletions <= most) continue
      most = deletionLimit(await countFiles(database))
      if (deletions > most) return true
    }
    return false
  }

  return async ({ dryRun = false, force = false, limit } = {}) => {
    const ban = await installation.banOnDeletion()
    if (dryRun || ban !== null) return (await survey()).report(dryRun, ban)
    const isPartial = limit !== undefined
    const chores = () => (isPartial ? dueChores(dependencies) : allChores(dependencies))
    if (!force && (await isTooMuch(chores()))) {
      return (isPartial ? createSweepTally() : await survey()).report(false, 'too_many')
    }
    const tally = createSweepTally()
    let left = limit ?? Number.POSITIVE_INFINITY
    for await (const chore of chores()) {
      if (left-- <= 0) break
      try {
        if (await chore.act()) tally.add(chore)
      } catch (error) {
        tally.fail()
        logger.error(`The sweep could not end "${chore.kind}" of ${chore.key}; the next one tries again.`, error)
      }
    }
    const report = tally.report(false, null)
    if (report.kept > 0) logger.warn(KEPT, { kept: report.kept })
    return report
  }
}
