import type { Logger } from '@quillgate/http'
import type { Storage } from '../storage/storage.ts'
import type { Eraser } from './eraser.ts'
import type { Installation } from './installation.ts'
import type { LedgerDatabase } from './ledger-database.ts'
import type { MediaLedger } from './media-ledger.ts'
import type { Medium } from './medium.ts'
import type { Promotion } from './promotion.ts'
import type { Departure } from './reference-protocol.ts'
import { candidatesOf, countFiles, deletionLimit, strayObjects, wasAnyReferenced } from './sweep-candidates.ts'
import { createSweepTally, type SweepItem, type SweepKind, type SweepReport, type SweepTally } from './sweep-report.ts'

/** Options of a sweep. */
export interface SweepOptions {
  /** Only report what would be done. @default false */
  readonly dryRun?: boolean
  /** Delete even more than max(1,000, 5 % of all files). @default false */
  readonly force?: boolean
}

/** What {@link createSweep} needs. */
export interface SweepDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get' | 'leave' | 'giveUp'>
  readonly storage: Pick<Storage, 'list' | 'remove'>
  readonly promotion: Promotion
  readonly eraser: Eraser
  readonly installation: Pick<Installation, 'banOnDeletion' | 'lastRebuild'>
  /** True when the application is known to reference its media: then unsaved files may go from the start. */
  readonly tracksReferences: boolean
  readonly settings: {
    readonly tempUploadPath: string
    readonly tempMaxAge: number
    readonly unsavedGrace: number
    readonly orphanGrace: number
    readonly cleanupMedia: boolean
  }
  readonly clock: () => number
  readonly logger: Logger
}

/** One thing that a sweep may do. */
interface Chore extends SweepItem {
  /** Does it; false when it is not to be done any more. */
  act(): Promise<boolean>
}

/** Seconds after which a promotion counts as broken off; a promotion that still runs is not hurt by a second one. */
const INTERRUPTED_AFTER = 3600
const ACTOR = 'sweep'
const KEPT = 'Finalized files are kept, for no record ever referenced any: call references.set when a record is saved.'

/**
 * Makes the function that deletes what has outlived its time and completes what was broken off. It may run several
 * times at once, and it may be killed: every step is one compare-and-set of the ledger.
 */
export function createSweep(dependencies: SweepDependencies): (options?: SweepOptions) => Promise<SweepReport> {
  const { database, installation, settings, logger } = dependencies

  const survey = async (): Promise<SweepTally> => {
    const tally = createSweepTally()
    for await (const chore of choresOf(dependencies)) tally.add(chore)
    return tally
  }

  return async ({ dryRun = false, force = false } = {}) => {
    const ban = await installation.banOnDeletion()
    if (dryRun || ban !== null) return (await survey()).report(dryRun, ban)
    if (!force) {
      const tally = await survey()
      const { unsettled, ...rest } = tally.report(true, null)
      const deletions =
        rest.expired + rest.unsaved + rest.orphaned + rest.strays + (settings.orphanGrace > 0 ? 0 : unsettled)
      if (deletions > deletionLimit(await countFiles(database))) return tally.report(false, 'too_many')
    }
    const tally = createSweepTally()
    for await (const chore of choresOf(dependencies)) {
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

async function* choresOf(dependencies: SweepDependencies): AsyncGenerator<Chore> {
  const { clock, database, installation, settings, storage } = dependencies
  const before = (seconds: number): number => clock() - seconds * 1000
  const { tempMaxAge, unsavedGrace, orphanGrace, cleanupMedia } = settings
  const chore = (kind: SweepKind, medium: Medium, act: (medium: Medium) => Promise<boolean>): Chore => ({
    kind,
    id: medium.id,
    key: medium.key ?? medium.tempKey,
    act: () => act(medium),
  })
  const { expire, dropUnsaved, orphan, dropOrphan, endUpload, endPromotion, endDeletion } = actsOf(dependencies)

  // First, for what is completed may be due for something else.
  const interrupted = [
    ['uploading', 'created_at', before(tempMaxAge), endUpload],
    ['promoting', 'changed_at', before(Math.min(tempMaxAge, INTERRUPTED_AFTER)), endPromotion],
    ['deleting', 'changed_at', clock(), endDeletion],
  ] as const
  for (const [state, time, until, act] of interrupted) {
    for await (const { medium } of candidatesOf(database, state, time, until)) yield chore('interrupted', medium, act)
  }
  for await (const { medium, isReferenced } of candidatesOf(database, 'temporary', 'created_at', before(tempMaxAge))) {
    if (!isReferenced) yield chore('expired', medium, expire)
  }
  const mayDropUnsaved =
    dependencies.tracksReferences || (await installation.lastRebuild()) !== null || (await wasAnyReferenced(database))
  const unsaved = candidatesOf(database, 'permanent', 'finalized_at', before(unsavedGrace))
  for await (const { medium, isReferenced } of unsaved) {
    if (isReferenced) continue // By somebody else only; see `references.set`.
    yield mayDropUnsaved ? chore('unsaved', medium, dropUnsaved) : chore('kept', medium, async () => true)
  }
  if (cleanupMedia) {
    for await (const { medium, isReferenced } of candidatesOf(database, 'permanent', 'referenced_at', clock())) {
      if (!isReferenced) yield chore('unsettled', medium, orphan)
    }
  }
  const orphanedBy = before(orphanGrace)
  for await (const { medium } of candidatesOf(database, 'orphaned', 'orphaned_at', orphanedBy)) {
    yield chore('orphaned', medium, (orphaned) => dropOrphan(orphaned, orphanedBy))
  }
  const needed = ['uploading', 'temporary', 'promoting'] as const
  for await (const { key, modifiedAt } of strayObjects(
    database,
    storage,
    settings.tempUploadPath,
    'temp_key',
    needed,
  )) {
    if (modifiedAt <= before(tempMaxAge)) yield { kind: 'stray', id: null, key, act: () => storage.remove(key) }
  }
}

/** What is done to a file, by the reason for it. Each tells whether there was still something to do. */
function actsOf({ ledger, eraser, promotion, clock }: SweepDependencies) {
  const drop = async ({ id }: Medium, departure: Omit<Departure, 'to' | 'at'>): Promise<boolean> => {
    if (!(await ledger.leave(id, { ...departure, to: 'deleting', at: clock() }))) return false
    await eraser.erase(id)
    return true
  }
  const swept = { actor: ACTOR } as const
  return {
    expire: (medium: Medium) => drop(medium, { ...swept, from: ['temporary'], reason: 'expired' }),
    dropUnsaved: (medium: Medium) =>
      drop(medium, { ...swept, from: ['permanent'], reason: 'unsaved', wasReferenced: false }),
    orphan: ({ id }: Medium) =>
      ledger.leave(id, {
        ...swept,
        from: ['permanent'],
        to: 'orphaned',
        reason: 'orphaned',
        wasReferenced: true,
        at: clock(),
      }),
    // Whoever orphaned it, and why, stays on record.
    dropOrphan: (medium: Medium, orphanedBy: number) =>
      drop(medium, {
        from: ['orphaned'],
        reason: medium.reason ?? 'orphaned',
        actor: medium.actor ?? ACTOR,
        orphanedBy,
      }),
    endUpload: async ({ id }: Medium) => {
      if (!(await ledger.giveUp(id, 'uploading', 'upload_failed', clock()))) return false
      await eraser.erase(id)
      return true
    },
    endPromotion: async ({ id }: Medium) => {
      await promotion.promote(id)
      await eraser.erase(id) // Only when its bytes are lost and it was given up.
      return true
    },
    endDeletion: async ({ id }: Medium) => (await eraser.erase(id)) !== null,
  }
}
