import { candidatesOf, strayObjects } from './candidates.ts'
import { ACTOR, type Chore, type ChoreDependencies, dropFrom, toChore } from './chore.ts'
import { INTERRUPTED_AFTER, interrupted } from './interrupted.ts'
import { keptFiles, savedFiles, unsettled } from './saved-files.ts'

/** What an index finds: everything but what takes a look at all files or at the storage. */
export async function* dueChores(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  // Before the others, for what is completed may be due for something else. Beside other work an upload may be under
  // way for longer than temporary files live.
  yield* interrupted(dependencies, Math.max(dependencies.settings.tempMaxAge, INTERRUPTED_AFTER))
  yield* expired(dependencies)
  yield* savedFiles(dependencies)
  yield* forgotten(dependencies)
}

/**
 * All that there is to do.
 *
 * @param isDryRun true: lists files too that no sweep deletes with these settings
 */
export async function* allChores(
  dependencies: ChoreDependencies,
  isDryRun = false,
): AsyncGenerator<Chore> {
  yield* interrupted(dependencies, dependencies.settings.tempMaxAge)
  yield* unsettled(dependencies)
  yield* expired(dependencies)
  yield* savedFiles(dependencies)
  yield* forgotten(dependencies)
  yield* strays(dependencies)
  // Last, because the list of a report is limited: it shows first what is deleted.
  yield* keptFiles(dependencies, isDryRun)
}

async function* expired(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const act = dropFrom(dependencies)({ from: ['temporary'], reason: 'expired', actor: ACTOR })
  const until = clock() - settings.tempMaxAge * 1000
  const temporary = { state: 'temporary', time: 'createdAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, temporary))
    yield toChore('expired', medium, act)
}

/** Milliseconds for which the ledger remembers deleted files: who deleted them, when and why. */
const AUDIT_AGE = 365 * 86_400_000

async function* forgotten({ database, ledger, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  const until = clock() - AUDIT_AGE
  const deleted = { state: 'deleted', time: 'changedAt', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, deleted)) {
    yield toChore('forgotten', medium, ({ id }) => ledger.forget(id, until))
  }
}

async function* strays({
  database,
  storage,
  settings,
  clock,
}: ChoreDependencies): AsyncGenerator<Chore> {
  const { tempUploadPath, tempMaxAge } = settings
  for await (const { key, size, modifiedAt } of strayObjects(database, storage, tempUploadPath)) {
    if (modifiedAt > clock() - tempMaxAge * 1000) continue
    yield { kind: 'stray', id: null, key, size, act: () => storage.remove(key) }
  }
}
