import {
  type Candidate,
  type CandidateQuery,
  candidatesOf,
  LISTED_AFTER,
  NEVER_REFERENCED,
} from '../ledger/candidates.ts'
import type { Transition } from '../ledger/reference-protection.ts'
import { strayObjects } from '../ledger/stored-objects.ts'
import { promote } from '../promotion.ts'
import { purge } from '../purge.ts'
import type { MediaServices } from '../services.ts'
import type { SweepItem, SweepKind } from './sweep-report.ts'

/** One step of a sweep. */
export interface SweepTask extends SweepItem {
  /** Runs the task. If it is no longer needed, returns false. */
  readonly act: () => Promise<boolean>
}

type Tasks = AsyncGenerator<SweepTask>
type Act = (medium: Candidate) => Promise<boolean>

const ACTOR = 'sweep'
/**
 * The age in seconds at which the sweep completes a promotion, unless `tempMaxAge` is shorter. If
 * the promotion is still running, it and the sweep can both complete it without an error.
 */
const INTERRUPTED_AFTER = 3600
/** The time in milliseconds for which the ledger keeps the rows of deleted files. */
const AUDIT_AGE = 365 * 86_400_000

/** Yields the tasks of a sweep. A dry run also lists files that no sweep deletes. */
export async function* sweepTasks(media: MediaServices, isDryRun: boolean): Tasks {
  const { settings, clock } = media
  const unsaved = await unsavedUntil(media)
  // Interrupted steps come first. A file can be due for another task after its step is completed.
  yield* interrupted(media, unsaved)
  yield* unsettled(media)
  const expired = clock() - settings.tempMaxAge * 1000
  const temporary = { state: 'temporary', time: 'createdAt', until: expired } as const
  yield* deletions(media, 'expired', { ...temporary, unreferenced: true })
  if (unsaved !== null) {
    const files = { ...NEVER_REFERENCED, until: unsaved }
    yield* deletions(media, 'unsaved', files, { wasReferenced: false })
  }
  const orphanedBy = clock() - settings.orphanGrace * 1000
  const orphaned = { state: 'orphaned', time: 'orphanedAt', until: orphanedBy } as const
  yield* deletions(media, 'orphaned', orphaned, { orphanedBy })
  yield* forgotten(media)
  yield* strays(media)
  // Kept files come last. The list in a report is limited, and must show deleted files first.
  if (isDryRun && unsaved === null) yield* keptFiles(media)
}

/** Null means that unsaved files are kept. */
async function unsavedUntil(media: MediaServices): Promise<number | null> {
  const { unsavedGrace } = media.settings
  if (unsavedGrace === null || (await media.installation.lastRebuild()) === null) return null
  return media.clock() - unsavedGrace * 1000
}

async function* interrupted(media: MediaServices, unsaved: number | null): Tasks {
  const { database, settings, ledger, clock } = media
  const now = clock()
  // Yields at most one task for each file. Otherwise, a dry run would count the file twice.
  const neverPromoted = new Set<string | null>()
  if (unsaved !== null) {
    const promoting = { state: 'promoting', time: 'changedAt', until: unsaved } as const
    for await (const task of deletions(media, 'unsaved', { ...promoting, unreferenced: true })) {
      neverPromoted.add(task.id)
      yield task
    }
  }
  const endUpload: Act = async ({ id }) => {
    if (!(await ledger.giveUp(id, 'uploading', clock()))) return false
    await purge(media, id)
    return true
  }
  const endPromotion: Act = async ({ id }) => {
    const medium = await ledger.get(id)
    if (medium) await promote(media, medium, true)
    // If the bytes were missing, `promote` has changed the state to `deleting`.
    await purge(media, id)
    return true
  }
  const endDeletion: Act = async ({ id }) => (await purge(media, id)) !== null
  const promotionAge = Math.min(settings.tempMaxAge, INTERRUPTED_AFTER)
  for (const [state, time, until, act] of [
    ['uploading', 'createdAt', now - settings.tempMaxAge * 1000, endUpload],
    ['promoting', 'changedAt', now - promotionAge * 1000, endPromotion],
    ['deleting', 'changedAt', now, endDeletion],
  ] as const) {
    for await (const medium of candidatesOf(database, { state, time, until }))
      if (!neverPromoted.has(medium.id)) yield toTask('interrupted', medium, act)
  }
}

/**
 * Yields tasks that orphan files which have lost all references. Such files remain if the
 * application did not call `references.settle`, for example after a crash.
 */
async function* unsettled({ database, settings, ledger, clock }: MediaServices): Tasks {
  if (!settings.cleanupMedia) return
  const why = { reason: 'orphaned', actor: ACTOR, wasReferenced: true } as const
  const act: Act = ({ id }) =>
    ledger.transition(id, { ...why, from: ['permanent'], to: 'orphaned', at: clock() })
  const permanent = { state: 'permanent', time: 'createdAt', until: clock() } as const
  for await (const medium of candidatesOf(database, { ...permanent, unreferenced: true }))
    if (medium.referencedAt !== null) yield toTask('unsettled', medium, act)
}

/** Yields tasks that delete files. Keeps the reason and the actor of an earlier transition. */
async function* deletions(
  media: MediaServices,
  kind: 'expired' | 'unsaved' | 'orphaned',
  files: CandidateQuery,
  conditions: Pick<Transition, 'wasReferenced' | 'orphanedBy'> = {},
): Tasks {
  const act: Act = async ({ id, reason, actor }) => {
    const why = { reason: reason ?? kind, actor: actor ?? ACTOR, ...conditions }
    const deleting = { from: [files.state], to: 'deleting', at: media.clock(), ...why } as const
    if (!(await media.ledger.transition(id, deleting))) return false
    await purge(media, id)
    return true
  }
  for await (const medium of candidatesOf(media.database, files)) yield toTask(kind, medium, act)
}

async function* forgotten({ database, ledger, clock }: MediaServices): Tasks {
  const until = clock() - AUDIT_AGE
  const deleted = { state: 'deleted', time: 'changedAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, deleted))
    yield toTask('forgotten', medium, ({ id }) => ledger.forget(id, until))
}

async function* strays({ database, storage, settings, clock }: MediaServices): Tasks {
  const { tempUploadPath, tempMaxAge } = settings
  for await (const { key, size, modifiedAt } of strayObjects(database, storage, tempUploadPath)) {
    if (modifiedAt > clock() - tempMaxAge * 1000) continue
    yield { kind: 'stray', id: null, key, size, act: () => storage.remove(key) }
  }
}

async function* keptFiles({ database, clock }: MediaServices): Tasks {
  const files = { ...NEVER_REFERENCED, until: clock() - LISTED_AFTER }
  for await (const medium of candidatesOf(database, files))
    yield toTask('never_referenced', medium, async () => false)
}

function toTask(kind: SweepKind, medium: Candidate, act: Act): SweepTask {
  const { id, key, tempKey, size } = medium
  return { kind, id, key: key ?? tempKey, size, act: () => act(medium) }
}
