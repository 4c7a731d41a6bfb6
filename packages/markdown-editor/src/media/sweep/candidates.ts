import { setImmediate as eventLoop } from 'node:timers/promises'
import { toNumber } from '@quillgate/server/database'
import type { Storage, StoredObject } from '@quillgate/storage'
import { sql } from 'kysely'
import { knownObjects, type ObjectUse } from '../ledger/known-objects.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import { findMedia } from '../ledger/media-rows.ts'
import { MEDIA_STATES, type MediaState, type Medium } from '../ledger/medium.ts'

/**
 * By which time rows of one state are read, the oldest first. `finalizedAt`: only files that were
 * never referenced. `changedAt` has an index for `promoting`, `deleting` and `deleted` only.
 */
export type CandidateTime = 'createdAt' | 'changedAt' | 'finalizedAt' | 'orphanedAt'

/** Rows of the ledger that a sweep or a check looks at. */
export interface Candidates {
  readonly state: MediaState
  readonly time: CandidateTime
  /** Only rows whose time is at or before this one, in milliseconds. */
  readonly until: number
  /** Only rows whose time is at or after this one. @default 0 */
  readonly from?: number
  /** True: only files that no record references. @default false */
  readonly unreferenced?: boolean
  /** Rows that are looked at together. @default 100 */
  readonly pageSize?: number
}

const PAGE = 100
/** Comes after every id. */
const MAX_ID = '~'

/**
 * Reads rows page by page, the oldest first. Rows that change on the way are seen once or not at
 * all.
 */
export async function* candidatesOf(
  database: LedgerDatabase,
  candidates: Candidates,
): AsyncGenerator<Medium> {
  const { executor, tables } = database
  for await (const page of pagesOf(database, candidates)) {
    const referenced = candidates.unreferenced
      ? await referencedAmong(database, page)
      : new Set<string>()
    const ids = page.filter((id) => !referenced.has(id))
    const media = ids.length === 0 ? null : await findMedia(executor, tables, ids)
    for (const id of ids) {
      const medium = media?.get(id)
      if (medium?.state === candidates.state) yield medium
    }
  }
}

/**
 * Reads ids only, by an index that holds all that is asked for: of a large ledger a sweep looks at
 * nearly all rows, and is interested in few. Each page begins where the last one ended (keyset), so
 * that a page costs the same everywhere.
 */
async function* pagesOf(
  { dialect, executor, tables }: LedgerDatabase,
  { state, time, until, from = 0, pageSize = PAGE }: Candidates,
): AsyncGenerator<string[]> {
  const inState = tables
    .on(executor)
    .selectFrom('media')
    .select(['id', time])
    // A literal, because the index of `changedAt` contains some states only, and a parameter may be
    // any.
    .where('state', '=', sql.lit(state))
    .where(time, '<=', until)
  // In the order too, which is that of the index. PostgreSQL would sort otherwise.
  const unsaved = inState.where('referencedAt', 'is', null).orderBy('referencedAt')
  const pages = (time === 'finalizedAt' ? unsaved : inState)
    .orderBy(time)
    .orderBy('id')
    .limit(pageSize)
  // MariaDB finds the place in the index by the first form only, PostgreSQL and SQLite by the
  // second.
  const pageAfter = (at: number, id: string) =>
    dialect === 'mariadb'
      ? pages.where((eb) =>
          eb.or([eb(time, '>', at), eb.and([eb(time, '=', at), eb('id', '>', id)])]),
        )
      : pages.where((eb) => eb(eb.refTuple(time, 'id'), '>', eb.tuple(at, id)))
  let [at, id] = [from - 1, MAX_ID]
  for (;;) {
    await eventLoop() // SQLite answers at once: without this, nothing else would run before the last page.
    const page = await pageAfter(at, id).execute()
    if (page.length > 0) yield page.map((row) => row.id)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    ;[at, id] = [last[time] ?? 0, last.id]
  }
}

/**
 * Asked by its own statement: within the other one PostgreSQL may read all references for each
 * page.
 */
async function referencedAmong(
  { executor, tables }: LedgerDatabase,
  ids: readonly string[],
): Promise<Set<string>> {
  const select = tables.on(executor).selectFrom('mediaReference').select('mediaId').distinct()
  const rows = await select.where('mediaId', 'in', ids).execute()
  return new Set(rows.map(({ mediaId }) => mediaId))
}

/** Milliseconds; a file that was finalized later may belong to a form that is not saved yet. */
export const LISTED_AFTER = 86_400_000

/**
 * Finds finalized files that no record has ever referenced. A former mention by a user who does not
 * manage the file does not count.
 */
export function neverReferenced(
  database: LedgerDatabase,
  range: Pick<Candidates, 'from' | 'until'>,
): AsyncGenerator<Medium> {
  return candidatesOf(database, {
    state: 'permanent',
    time: 'finalizedAt',
    unreferenced: true,
    ...range,
  })
}

/** How many files may be deleted at once without `force`. @param files how many there are */
export function deletionLimit(files: number): number {
  return Math.max(1000, 0.05 * files)
}

/** How many files exist. */
export async function countFiles({ executor, tables }: LedgerDatabase): Promise<number> {
  const { files } = await tables
    .on(executor)
    .selectFrom('media')
    .select((eb) => eb.fn.countAll().as('files'))
    .where('state', 'in', ['temporary', 'promoting', 'permanent', 'orphaned'])
    .executeTakeFirstOrThrow()
  return toNumber(files)
}

/**
 * When a record first referenced a file, as far as the ledger knows, in milliseconds; null: never.
 */
export async function firstReference({ executor, tables }: LedgerDatabase): Promise<number | null> {
  let first: number | null = null
  // State by state, because then an index finds it.
  for (const state of MEDIA_STATES) {
    const row = await tables
      .on(executor)
      .selectFrom('media')
      .select('referencedAt')
      .where('state', '=', state)
      .where('referencedAt', 'is not', null)
      .orderBy('referencedAt')
      .limit(1)
      .executeTakeFirst()
    if (row) first = Math.min(first ?? Number.POSITIVE_INFINITY, row.referencedAt ?? 0)
  }
  return first
}

/** States in which a file needs its object in temporary storage, and in permanent storage. */
const NEEDED: Readonly<Record<ObjectUse['column'], readonly MediaState[]>> = {
  tempKey: ['uploading', 'temporary', 'promoting'],
  permanentKey: ['promoting', 'permanent', 'orphaned', 'deleting'],
}

/** Lists the objects under a folder that no row of the ledger needs. */
export async function* strayObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<StoredObject> {
  for await (const { object, use } of knownObjects(database, storage, folder)) {
    if (!use || !NEEDED[use.column].includes(use.state)) yield object
  }
}
