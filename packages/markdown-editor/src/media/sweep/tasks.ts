import {
  type Candidate,
  candidatesOf,
  LISTED_AFTER,
  neverReferenced,
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
  // Interrupted steps come first. A file can be due for another task after its step is completed.
  yield* interrupted(media)
  yield* unsettled(media)
  yield* expired(media)
  yield* finalizedFiles(media)
  yield* forgotten(media)
  yield* strays(media)
  // Kept files come last. The list in a report is limited, and must show deleted files first.
  if (isDryRun) yield* keptFiles(media)
}

async function* finalizedFiles(media: MediaServices): Tasks {
  const { database, settings, clock } = media
  const unsaved = await unsavedUntil(media)
  if (unsaved !== null) {
    const why = { reason: 'unsaved', actor: ACTOR, wasReferenced: false } as const
    const act = deletion(media, { from: ['permanent'], ...why })
    for await (const medium of neverReferenced(database, unsaved))
      yield toTask('unsaved', medium, act)
  }
  const until = clock() - settings.orphanGrace * 1000
  const orphaned = { state: 'orphaned', time: 'orphanedAt', until } as const
  for await (const medium of candidatesOf(database, orphaned)) {
    // Keeps the reason and the actor of the earlier transition to `orphaned`.
    const why = { reason: medium.reason ?? 'orphaned', actor: medium.actor ?? ACTOR }
    const act = deletion(media, { from: ['orphaned'], ...why, orphanedBy: until })
    yield toTask('orphaned', medium, act)
  }
}

async function* interrupted(media: MediaServices): Tasks {
  const { database, settings, ledger, clock } = media
  const now = clock()
  // Yields at most one task for each file. Otherwise, a dry run would count the file twice.
  const unsaved = new Set<string | null>()
  for await (const task of neverPromoted(media)) {
    unsaved.add(task.id)
    yield task
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
      if (!unsaved.has(medium.id)) yield toTask('interrupted', medium, act)
  }
}

/** Yields tasks that delete unreferenced `promoting` files after `unsavedGrace`. */
async function* neverPromoted(media: MediaServices): Tasks {
  const until = await unsavedUntil(media)
  if (until === null) return
  const act = deletion(media, { from: ['promoting'], reason: 'unsaved', actor: ACTOR })
  const promoting = { state: 'promoting', time: 'changedAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(media.database, promoting))
    yield toTask('unsaved', medium, act)
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

async function* expired(media: MediaServices): Tasks {
  const act = deletion(media, { from: ['temporary'], reason: 'expired', actor: ACTOR })
  const until = media.clock() - media.settings.tempMaxAge * 1000
  const temporary = { state: 'temporary', time: 'createdAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(media.database, temporary))
    yield toTask('expired', medium, act)
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

async function* keptFiles(media: MediaServices): Tasks {
  if ((await unsavedUntil(media)) !== null) return
  for await (const medium of neverReferenced(media.database, media.clock() - LISTED_AFTER))
    yield toTask('never_referenced', medium, async () => false)
}

/** Null means that unsaved files are kept. */
async function unsavedUntil(media: MediaServices): Promise<number | null> {
  const { unsavedGrace } = media.settings
  if (unsavedGrace === null || (await media.installation.lastRebuild()) === null) return null
  return media.clock() - unsavedGrace * 1000
}

function deletion(media: MediaServices, transition: Omit<Transition, 'to' | 'at'>): Act {
  return async ({ id }) => {
    const at = media.clock()
    if (!(await media.ledger.transition(id, { ...transition, to: 'deleting', at }))) return false
    await purge(media, id)
    return true
  }
}

function toTask(kind: SweepKind, medium: Candidate, act: Act): SweepTask {
  const { id, key, tempKey, size } = medium
  return { kind, id, key: key ?? tempKey, size, act: () => act(medium) }
}
