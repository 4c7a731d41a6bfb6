import { setImmediate as eventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import { findMedia, type LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaState, Medium } from '../ledger/medium.ts'

/** Rows of the ledger that a sweep or a check looks at. */
export interface Candidates {
  readonly state: MediaState
  /**
   * The time by which rows are read, the oldest first. `finalizedAt`: only files that were never
   * referenced. `changedAt` has an index for `promoting`, `deleting` and `deleted` only.
   */
  readonly time: 'createdAt' | 'changedAt' | 'finalizedAt' | 'orphanedAt'
  /** Only rows whose time is at or before this one, in milliseconds. */
  readonly until: number
  /** True: only files that no record references. @default false */
  readonly unreferenced?: boolean
  /** Rows that are looked at together. @default 100 */
  readonly pageSize?: number
}

const PAGE = 100
/** Comes after every id. */
const MAX_ID = '~'

/** Reads rows page by page. Rows that change meanwhile are seen once or not at all. */
export async function* candidatesOf(
  database: LedgerDatabase,
  candidates: Candidates,
): AsyncGenerator<Medium> {
  for await (const page of pagesOf(database, candidates)) {
    const referenced = candidates.unreferenced
      ? await referencedAmong(database, page)
      : new Set<string>()
    const ids = page.filter((id) => !referenced.has(id))
    const media = await findMedia(database, ids)
    for (const id of ids) {
      const medium = media.get(id)
      if (medium?.state === candidates.state) yield medium
    }
  }
}

/**
 * Reads ids only, by an index that contains all columns of the query: a sweep looks at nearly all
 * rows of a large ledger, and needs few. Each page begins where the last one ended (keyset), so
 * that all pages cost the same.
 */
async function* pagesOf(
  { dialect, db }: LedgerDatabase,
  { state, time, until, pageSize = PAGE }: Candidates,
): AsyncGenerator<string[]> {
  const inState = db
    .selectFrom('media')
    .select(['id', time])
    // A literal, because the index of `changedAt` contains some states only.
    .where('state', '=', sql.lit(state))
    .where(time, '<=', until)
  // The order uses the same form, which is that of the index. Otherwise PostgreSQL would sort.
  const unsaved = inState.where('referencedAt', 'is', null).orderBy('referencedAt')
  const pages = (time === 'finalizedAt' ? unsaved : inState)
    .orderBy(time)
    .orderBy('id')
    .limit(pageSize)
  // MariaDB uses the index for the first form only, PostgreSQL and SQLite for the second.
  const pageAfter = (at: number, id: string) =>
    dialect === 'mariadb'
      ? pages.where((eb) =>
          eb.or([eb(time, '>', at), eb.and([eb(time, '=', at), eb('id', '>', id)])]),
        )
      : pages.where((eb) => eb(eb.refTuple(time, 'id'), '>', eb.tuple(at, id)))
  let [at, id] = [-1, MAX_ID]
  for (;;) {
    await eventLoop() // SQLite answers at once: without this, nothing else would run before the last page.
    const page = await pageAfter(at, id).execute()
    if (page.length > 0) yield page.map((row) => row.id)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    ;[at, id] = [last[time] ?? 0, last.id]
  }
}

/** A statement of its own: within the other one PostgreSQL may read all references for each page. */
async function referencedAmong(
  { db }: LedgerDatabase,
  ids: readonly string[],
): Promise<Set<string>> {
  const select = db.selectFrom('mediaReference').select('mediaId').distinct()
  const rows = await select.where('mediaId', 'in', ids).execute()
  return new Set(rows.map(({ mediaId }) => mediaId))
}

/** Milliseconds; a file that was finalized later may belong to a form that is not saved yet. */
export const LISTED_AFTER = 86_400_000

/**
 * Finds finalized files that no record has ever referenced. A former mention by a user who does not
 * manage the file does not count.
 */
export function neverReferenced(database: LedgerDatabase, until: number): AsyncGenerator<Medium> {
  const permanent = { state: 'permanent', time: 'finalizedAt', unreferenced: true } as const
  return candidatesOf(database, { ...permanent, until })
}
