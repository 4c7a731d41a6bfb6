import { setImmediate as eventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { LedgerDatabase } from './ledger-database.ts'
import type { MediaState, Medium } from './medium.ts'

/** The part of a row that sweeps and checks need. Reading all columns would be slow. */
export type Candidate = Pick<
  Medium,
  'id' | 'state' | 'size' | 'checksum' | 'tempKey' | 'key' | 'referencedAt' | 'reason' | 'actor'
>

/** A query for rows of the ledger, for a sweep or a check. */
export interface CandidateQuery {
  readonly state: MediaState
  /**
   * The column by which rows are sorted, oldest first. With `finalizedAt`, only files that were
   * never referenced are read. `changedAt` has an index only for the states `promoting`, `deleting`
   * and `deleted`.
   */
  readonly time: 'createdAt' | 'changedAt' | 'finalizedAt' | 'orphanedAt'
  readonly until: number
  readonly unreferenced?: boolean
  readonly pageSize?: number
}

const PAGE = 100
/** A text that sorts after every id. */
const MAX_ID = '~'

/** Reads rows page by page. Yields no row twice, but may omit a row that changes meanwhile. */
export async function* candidatesOf(
  database: LedgerDatabase,
  query: CandidateQuery,
): AsyncGenerator<Candidate> {
  for await (const page of pagesOf(database, query)) {
    const referenced = query.unreferenced ? await referencedIn(database, page) : new Set<string>()
    const ids = page.filter((id) => !referenced.has(id))
    if (ids.length === 0) continue
    const rows = await readCandidates(database, ids)
    const media = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const medium = media.get(id)
      if (medium?.state === query.state) yield medium
    }
  }
}

/**
 * Reads only ids, because an index contains all columns of this query. Each page begins after the
 * last row of the previous page (keyset pagination), so that all pages take the same time.
 */
async function* pagesOf(
  { dialect, db }: LedgerDatabase,
  { state, time, until, pageSize = PAGE }: CandidateQuery,
): AsyncGenerator<string[]> {
  const inState = db
    .selectFrom('media')
    .select(['id', time])
    // The state is a literal, not a parameter. Otherwise, the database could not use the partial
    // index of `changedAt`, which contains only some states.
    .where('state', '=', sql.lit(state))
    .where(time, '<=', until)
  // Orders by all columns of the index. Otherwise, PostgreSQL would sort the rows.
  const unsaved = inState.where('referencedAt', 'is', null).orderBy('referencedAt')
  const pages = (time === 'finalizedAt' ? unsaved : inState)
    .orderBy(time)
    .orderBy('id')
    .limit(pageSize)
  // MariaDB uses the index only with the first condition. PostgreSQL and SQLite use it only with
  // the second condition.
  const pageAfter = (at: number, id: string) =>
    dialect === 'mariadb'
      ? pages.where((eb) =>
          eb.or([eb(time, '>', at), eb.and([eb(time, '=', at), eb('id', '>', id)])]),
        )
      : pages.where((eb) => eb(eb.refTuple(time, 'id'), '>', eb.tuple(at, id)))
  let [at, id] = [-1, MAX_ID]
  for (;;) {
    await eventLoop() // SQLite is synchronous. This lets other work run between pages.
    const page = await pageAfter(at, id).execute()
    if (page.length > 0) yield page.map((row) => row.id)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    ;[at, id] = [last[time] ?? 0, last.id]
  }
}

function readCandidates({ db }: LedgerDatabase, ids: readonly string[]): Promise<Candidate[]> {
  return db
    .selectFrom('media')
    .select(['id', 'state', 'size', 'checksum', 'tempKey', 'permanentKey as key'])
    .select(['referencedAt', 'reason', 'actor'])
    .where('id', 'in', ids)
    .execute()
}

// Uses a separate query. With a join, PostgreSQL could read all references for each page.
async function referencedIn({ db }: LedgerDatabase, ids: readonly string[]): Promise<Set<string>> {
  const select = db.selectFrom('mediaReference').select('mediaId').distinct()
  const rows = await select.where('mediaId', 'in', ids).execute()
  return new Set(rows.map(({ mediaId }) => mediaId))
}

/** The minimum age of reported files in milliseconds. The texts of newer files may be unsaved. */
export const LISTED_AFTER = 86_400_000

/** Selects finalized files that no record has ever referenced, see `Medium.referencedAt`. */
export const NEVER_REFERENCED = {
  state: 'permanent',
  time: 'finalizedAt',
  unreferenced: true,
} as const
