import type { Storage } from '../../storage/storage.ts'
import type { Eraser } from '../eraser.ts'
import type { Installation } from '../ledger/installation.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Medium } from '../ledger/medium.ts'
import type { Departure } from '../ledger/reference-protocol.ts'
import type { Promotion } from '../promotion.ts'
import type { Intents } from '../references/intents.ts'
import { type Candidates, candidatesOf, firstReference, strayObjects } from './candidates.ts'
import type { SweepItem, SweepKind } from './sweep-report.ts'

/** What the chores of a sweep need. */
export interface ChoreDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get' | 'leave' | 'giveUp' | 'forget'>
  readonly storage: Pick<Storage, 'list' | 'remove'>
  readonly promotion: Promotion
  readonly eraser: Eraser
  readonly installation: Pick<Installation, 'lastRebuild' | 'trackedSince'>
  /** Null: the records are in the ledger's database. */
  readonly intents: Pick<Intents, 'list' | 'resolve'> | null
  /** Takes care of files that lost a reference. */
  readonly settle: (ids: Iterable<string>) => Promise<unknown>
  readonly settings: {
    readonly tempUploadPath: string
    readonly tempMaxAge: number
    readonly unsavedGrace: number
    readonly orphanGrace: number
    readonly auditAge: number | null
    readonly cleanupMedia: boolean
  }
  readonly clock: () => number
}

/** One thing that a sweep may do. */
export interface Chore extends SweepItem {
  /** Does it; false when it is not to be done any more. */
  act(): Promise<boolean>
}

type Act = (medium: Medium) => Promise<boolean>

/** Seconds after which a promotion or a save counts as broken off; one that still runs is not hurt. */
const INTERRUPTED_AFTER = 3600
const ACTOR = 'sweep'

/** What an index finds: everything but what takes a look at all files or at the storage. */
export async function* dueChores(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  yield* unconfirmed(dependencies)
  // Before the others, for what is completed may be due for something else. Beside other work an upload may be under
  // way for longer than temporary files live.
  yield* interrupted(dependencies, Math.max(dependencies.settings.tempMaxAge, INTERRUPTED_AFTER))
  yield* expired(dependencies)
  yield* savedFiles(dependencies)
  yield* forgotten(dependencies)
}

/** All that there is to do. */
export async function* allChores(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  yield* unconfirmed(dependencies)
  yield* interrupted(dependencies, dependencies.settings.tempMaxAge)
  yield* kept(dependencies)
  yield* unsettled(dependencies)
  yield* expired(dependencies)
  yield* savedFiles(dependencies)
  yield* forgotten(dependencies)
  yield* strays(dependencies)
}

async function* unconfirmed({ intents, settle, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  if (!intents) return
  for await (const intent of intents.list(clock() - INTERRUPTED_AFTER * 1000)) {
    const { type, id } = intent.record
    const act = async (): Promise<boolean> => {
      const removed = await intents.resolve(intent)
      await settle(removed ?? [])
      return removed !== null
    }
    yield { kind: 'unconfirmed', id: null, key: `${type} ${id}`, act }
  }
}

/** @param uploadAge seconds after which an upload counts as broken off */
async function* interrupted(dependencies: ChoreDependencies, uploadAge: number): AsyncGenerator<Chore> {
  const { database, settings, ledger, eraser, promotion, clock } = dependencies
  const now = clock()
  // What is not done, or failed, is not ended in another way besides; a dry run would count it twice.
  const unsaved = new Set<string>()
  for await (const chore of neverPromoted(dependencies)) {
    if (chore.id !== null) unsaved.add(chore.id)
    yield chore
  }
  const endUpload: Act = async ({ id }) => {
    if (!(await ledger.giveUp(id, 'uploading', 'upload_failed', clock()))) return false
    await eraser.erase(id)
    return true
  }
  const endPromotion: Act = async ({ id }) => {
    await promotion.promote(id, { givesUp: true })
    await eraser.erase(id) // Only when its bytes are lost and it was given up.
    return true
  }
  const endDeletion: Act = async ({ id }) => (await eraser.erase(id)) !== null
  const seconds = Math.min(settings.tempMaxAge, INTERRUPTED_AFTER)
  for (const [state, time, until, act] of [
    ['uploading', 'created_at', now - uploadAge * 1000, endUpload],
    ['promoting', 'changed_at', now - seconds * 1000, endPromotion],
    ['deleting', 'changed_at', now, endDeletion],
  ] as const) {
    for await (const medium of candidatesOf(database, { state, time, until })) {
      if (!unsaved.has(medium.id)) yield toChore('interrupted', medium, act)
    }
  }
}

/** Broken off so long ago that what is completed would be unsaved: it is not completed any more. */
async function* neverPromoted(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const from = await trackedSince(dependencies)
  if (from === null) return
  const act = dropFrom(dependencies)({ from: ['promoting'], reason: 'unsaved', actor: ACTOR })
  const until = clock() - settings.unsavedGrace * 1000
  const promoting = { state: 'promoting', time: 'changed_at', from, until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, promoting)) yield toChore('unsaved', medium, act)
}

async function* expired(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const act = dropFrom(dependencies)({ from: ['temporary'], reason: 'expired', actor: ACTOR })
  const until = clock() - settings.tempMaxAge * 1000
  const temporary = { state: 'temporary', time: 'created_at', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, temporary)) yield toChore('expired', medium, act)
}

/** Finalized files that no record has. */
export async function* savedFiles(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const { database, settings, clock } = dependencies
  const drop = dropFrom(dependencies)
  const from = await trackedSince(dependencies)
  if (from !== null) {
    const act = drop({ from: ['permanent'], reason: 'unsaved', actor: ACTOR, wasReferenced: false })
    for await (const medium of unsavedOf(dependencies, { from })) yield toChore('unsaved', medium, act)
  }
  const orphanedBy = clock() - settings.orphanGrace * 1000
  for await (const medium of candidatesOf(database, { state: 'orphaned', time: 'orphaned_at', until: orphanedBy })) {
    // Whoever orphaned it, and why, stays on record.
    const { reason, actor } = medium
    const departure = { from: ['orphaned'], reason: reason ?? 'orphaned', actor: actor ?? ACTOR, orphanedBy } as const
    yield toChore('orphaned', medium, drop(departure))
  }
}

async function* kept(dependencies: ChoreDependencies): AsyncGenerator<Chore> {
  const since = (await trackedSince(dependencies)) ?? Number.POSITIVE_INFINITY
  const until = Math.min(since - 1, dependencies.clock() - dependencies.settings.unsavedGrace * 1000)
  for await (const medium of unsavedOf(dependencies, { until })) yield toChore('kept', medium, async () => true)
}

async function* unsettled({ database, settings, ledger, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  if (!settings.cleanupMedia) return
  const orphan: Act = ({ id }) => {
    const why = { reason: 'orphaned', actor: ACTOR, wasReferenced: true } as const
    return ledger.leave(id, { ...why, from: ['permanent'], to: 'orphaned', at: clock() })
  }
  const permanent = { state: 'permanent', time: 'created_at', until: clock() } as const
  for await (const medium of candidatesOf(database, { ...permanent, unreferenced: true })) {
    if (medium.referencedAt !== null) yield toChore('unsettled', medium, orphan)
  }
}

async function* forgotten({ database, settings, ledger, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  if (settings.auditAge === null) return
  const until = clock() - settings.auditAge * 1000
  const deleted = { state: 'deleted', time: 'changed_at', until, unreferenced: true } as const
  for await (const medium of candidatesOf(database, deleted)) {
    yield toChore('forgotten', medium, ({ id }) => ledger.forget(id, until))
  }
}

async function* strays({ database, storage, settings, clock }: ChoreDependencies): AsyncGenerator<Chore> {
  const { tempUploadPath, tempMaxAge } = settings
  for await (const { key, modifiedAt } of strayObjects(database, storage, tempUploadPath)) {
    if (modifiedAt > clock() - tempMaxAge * 1000) continue
    yield { kind: 'stray', id: null, key, act: () => storage.remove(key) }
  }
}

/** Finalized long ago, and never saved in a record. */
function unsavedOf(
  { database, settings, clock }: ChoreDependencies,
  range: Partial<Pick<Candidates, 'from' | 'until'>>,
): AsyncGenerator<Medium> {
  const until = clock() - settings.unsavedGrace * 1000
  // Those that are referenced are so by somebody else only; see `references.set`.
  return candidatesOf(database, { state: 'permanent', time: 'finalized_at', until, unreferenced: true, ...range })
}

/**
 * Since when the application tells which records reference what, in milliseconds: what was finalized before may stand
 * in texts that nobody told of. Null: it does not.
 */
async function trackedSince({ installation, database }: ChoreDependencies): Promise<number | null> {
  if ((await installation.lastRebuild()) !== null) return 0
  const times = [await installation.trackedSince(), await firstReference(database)].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/** Makes acts that delete a file for a reason. */
function dropFrom({ ledger, eraser, clock }: ChoreDependencies): (departure: Omit<Departure, 'to' | 'at'>) => Act {
  return (departure) => async (medium) => {
    if (!(await ledger.leave(medium.id, { ...departure, to: 'deleting', at: clock() }))) return false
    await eraser.erase(medium.id)
    return true
  }
}

function toChore(kind: SweepKind, medium: Medium, act: Act): Chore {
  return { kind, id: medium.id, key: medium.key ?? medium.tempKey, act: () => act(medium) }
}
