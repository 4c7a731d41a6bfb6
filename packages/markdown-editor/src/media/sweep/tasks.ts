import { candidatesOf, strayObjects } from './candidates.ts'
import { keptFiles, neverPromoted, savedFiles, unsettled } from './saved-files.ts'
import {
  ACTOR,
  type Act,
  deletion,
  type SweepTask,
  type SweepTaskDependencies,
  toTask,
} from './task.ts'

/**
 * Seconds after which a promotion counts as interrupted. Completing one that still runs does no
 * harm.
 */
const INTERRUPTED_AFTER = 3600

/** Milliseconds for which the ledger remembers deleted files: who deleted them, when and why. */
const AUDIT_AGE = 365 * 86_400_000

/** Yields the tasks that an index finds, without reading all files or the storage. */
export async function* dueTasks(deps: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  // First, because a completed file may be due for something else. An upload of a running process
  // may take longer than temporary files live.
  yield* interrupted(deps, Math.max(deps.settings.tempMaxAge, INTERRUPTED_AFTER))
  yield* expired(deps)
  yield* savedFiles(deps)
  yield* forgotten(deps)
}

/**
 * Yields all tasks.
 *
 * @param isDryRun true: also lists files that no sweep deletes with these settings
 */
export async function* allTasks(
  deps: SweepTaskDependencies,
  isDryRun = false,
): AsyncGenerator<SweepTask> {
  yield* interrupted(deps, deps.settings.tempMaxAge)
  yield* unsettled(deps)
  yield* expired(deps)
  yield* savedFiles(deps)
  yield* forgotten(deps)
  yield* strays(deps)
  // Last, because the list of a report is limited and must show what is deleted.
  yield* keptFiles(deps, isDryRun)
}

/**
 * Yields interrupted uploads, promotions and deletions.
 *
 * @param uploadAge seconds after which an upload counts as interrupted
 */
async function* interrupted(
  deps: SweepTaskDependencies,
  uploadAge: number,
): AsyncGenerator<SweepTask> {
  const { database, settings, ledger, purge, promote, clock } = deps
  const now = clock()
  // If such a task is not done, or fails, its file is not handled in another way. A dry run would
  // count it twice.
  const unsaved = new Set<string>()
  for await (const task of neverPromoted(deps)) {
    if (task.id !== null) unsaved.add(task.id)
    yield task
  }
  const endUpload: Act = async ({ id }) => {
    if (!(await ledger.giveUp(id, 'uploading', 'upload_failed', clock()))) return false
    await purge(id)
    return true
  }
  const endPromotion: Act = async ({ id }) => {
    await promote(id, { givesUp: true })
    await purge(id) // Does something only if the bytes are lost and the file was given up.
    return true
  }
  const endDeletion: Act = async ({ id }) => (await purge(id)) !== null
  const seconds = Math.min(settings.tempMaxAge, INTERRUPTED_AFTER)
  for (const [state, time, until, act] of [
    ['uploading', 'createdAt', now - uploadAge * 1000, endUpload],
    ['promoting', 'changedAt', now - seconds * 1000, endPromotion],
    ['deleting', 'changedAt', now, endDeletion],
  ] as const) {
    for await (const medium of candidatesOf(database, { state, time, until })) {
      if (!unsaved.has(medium.id)) yield toTask('interrupted', medium, act)
    }
  }
}

async function* expired(deps: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  const act = deletion(deps, { from: ['temporary'], reason: 'expired', actor: ACTOR })
  const until = deps.clock() - deps.settings.tempMaxAge * 1000
  const temporary = { state: 'temporary', time: 'createdAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(deps.database, temporary))
    yield toTask('expired', medium, act)
}

async function* forgotten({
  database,
  ledger,
  clock,
}: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  const until = clock() - AUDIT_AGE
  const deleted = { state: 'deleted', time: 'changedAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, deleted))
    yield toTask('forgotten', medium, ({ id }) => ledger.forget(id, until))
}

async function* strays({
  database,
  storage,
  settings,
  clock,
}: SweepTaskDependencies): AsyncGenerator<SweepTask> {
  const { tempUploadPath, tempMaxAge } = settings
  for await (const { key, size, modifiedAt } of strayObjects(database, storage, tempUploadPath)) {
    if (modifiedAt > clock() - tempMaxAge * 1000) continue
    yield { kind: 'stray', id: null, key, size, act: () => storage.remove(key) }
  }
}
