import { setImmediate as eventLoop } from 'node:timers/promises'
import { list, raw, type SqlStatement, toNumber } from '@quillgate/server/database'
import type { Storage, StoredObject } from '@quillgate/storage'
import { knownObjects, type ObjectUse } from '../ledger/known-objects.ts'
import { type LedgerDatabase, rowsOf } from '../ledger/ledger-database.ts'
import { findMedia } from '../ledger/media-rows.ts'
import type { MediaState, Medium } from '../ledger/medium.ts'

/**
 * By which time rows of one state are read, the oldest first. `finalized_at`: only files that were never referenced.
 * `changed_at` has an index for `promoting`, `deleting` and `deleted` only.
 */
export type CandidateTime = 'created_at' | 'changed_at' | 'finalized_at' | 'orphaned_at'

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

/** Reads rows page by page, the oldest first. Rows that change on the way are seen once or not at all. */
export async function* candidatesOf(
  database: LedgerDatabase,
  candidates: Candidates,
): AsyncGenerator<Medium> {
  const { executor, tables } = database
  for await (const page of pagesOf(database, candidates)) {
    const referenced = candidates.unreferenced ? await referencedAmong(database, page) : new Set()
    const ids = page.filter((id) => !referenced.has(id))
    const media = ids.length === 0 ? null : await findMedia(executor, tables, ids)
    for (const id of ids) {
      const medium = media?.get(id)
      if (medium?.state === candidates.state) yield medium
    }
  }
}

/**
 * Reads ids only, by an index that holds all that is asked for: of a large ledger a sweep looks at nearly all rows, and
 * is interested in few. Each page begins where the last one ended (keyset), so that a page costs the same everywhere.
 */
async function* pagesOf(
  { dialect, executor, sql, tables }: LedgerDatabase,
  { state, time, until, from = 0, pageSize = PAGE }: Candidates,
): AsyncGenerator<string[]> {
  const column = raw(time)
  // In the statement itself: the index of `changed_at` has rows of some states only, and a parameter may be any.
  const inState = raw(`state = '${state}'`)
  const select = raw(`SELECT id, ${time} AS read_at`)
  // Named in the order too, which is that of the index; PostgreSQL would sort otherwise.
  const [never, first] =
    time === 'finalized_at' ? ['AND referenced_at IS NULL', 'referenced_at, '] : ['', '']
  const order = raw(`ORDER BY ${first}${time}, id LIMIT ${pageSize}`)
  // MariaDB finds the place in the index by the first form only, PostgreSQL and SQLite by the second.
  const pageAfter = (at: number, id: string): SqlStatement =>
    dialect === 'mariadb'
      ? sql`${select} FROM ${tables.media} WHERE ${inState} ${raw(never)} AND ${column} <= ${until}
          AND (${column} > ${at} OR (${column} = ${at} AND id > ${id})) ${order}`
      : sql`${select} FROM ${tables.media} WHERE ${inState} ${raw(never)} AND ${column} <= ${until}
          AND (${column}, id) > (${at}, ${id}) ${order}`
  let [at, id] = [from - 1, MAX_ID]
  for (;;) {
    await eventLoop() // SQLite answers at once: without this, nothing else would run before the last page.
    const page = await rowsOf(executor, pageAfter(at, id))
    const ids = page.map((row) => String(row['id']))
    if (ids.length > 0) yield ids
    if (ids.length < pageSize) return
    ;[at, id] = [toNumber(page.at(-1)?.['read_at']), ids.at(-1) ?? '']
  }
}

/** Asked by its own statement: within the other one PostgreSQL may read all references for each page. */
async function referencedAmong(
  { executor, sql, tables }: LedgerDatabase,
  ids: readonly string[],
): Promise<Set<unknown>> {
  const rows = await rowsOf(
    executor,
    sql`SELECT DISTINCT media_id FROM ${tables.reference} WHERE media_id IN (${list(ids)})`,
  )
  return new Set(rows.map((row) => row['media_id']))
}

/** Milliseconds; a file that was finalized later may belong to a form that is not saved yet. */
export const LISTED_AFTER = 86_400_000

/**
 * Finds finalized files that no record references, and that nobody who manages them has ever saved in a record. A
 * former mention by another user counts as never.
 */
export function neverReferenced(
  database: LedgerDatabase,
  range: Pick<Candidates, 'from' | 'until'>,
): AsyncGenerator<Medium> {
  return candidatesOf(database, {
    state: 'permanent',
    time: 'finalized_at',
    unreferenced: true,
    ...range,
  })
}

/** How many files may be deleted at once without `force`. @param files how many there are */
export function deletionLimit(files: number): number {
  return Math.max(1000, 0.05 * files)
}

/** How many files exist. */
export async function countFiles({ executor, sql, tables }: LedgerDatabase): Promise<number> {
  const [row] = await rowsOf(
    executor,
    sql`SELECT COUNT(*) AS files FROM ${tables.media} WHERE state IN ('temporary', 'promoting', 'permanent', 'orphaned')`,
  )
  return toNumber(row?.['files'])
}

/** When a record first referenced a file, as far as the ledger knows, in milliseconds; null: never. */
export async function firstReference({
  executor,
  sql,
  tables,
}: LedgerDatabase): Promise<number | null> {
  let first: number | null = null
  // State by state, for then an index finds it.
  for (const state of STATES) {
    const [row] = await rowsOf(
      executor,
      sql`SELECT referenced_at FROM ${tables.media} WHERE state = ${state} AND referenced_at IS NOT NULL
        ORDER BY referenced_at LIMIT 1`,
    )
    if (row) first = Math.min(first ?? Number.POSITIVE_INFINITY, toNumber(row['referenced_at']))
  }
  return first
}

const STATES: readonly MediaState[] = [
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
  'deleting',
  'deleted',
]

/** States in which a file needs its object in temporary storage, and in permanent storage. */
const NEEDED: Readonly<Record<ObjectUse['column'], readonly MediaState[]>> = {
  temp_key: ['uploading', 'temporary', 'promoting'],
  permanent_key: ['promoting', 'permanent', 'orphaned', 'deleting'],
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
