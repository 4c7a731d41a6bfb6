import { list, type Row, raw, type SqlStatement, toNumber } from '@quillgate/database'
import type { Storage, StoredObject } from '../storage/storage.ts'
import { type LedgerDatabase, rowsOf } from './ledger-database.ts'
import { toMedium } from './media-ledger.ts'
import type { MediaState, Medium } from './medium.ts'

/** A row that a sweep looks at, and whether a record references it. */
export interface Candidate {
  readonly medium: Medium
  readonly isReferenced: boolean
}

/** By which time rows of one state are read, the oldest first. */
export type CandidateTime = 'created_at' | 'changed_at' | 'finalized_at' | 'referenced_at' | 'orphaned_at'

const PAGE = 500

/**
 * Reads the rows of one state whose time is at or before `until`, page by page, the oldest first. Rows that change on
 * the way are seen once or not at all.
 *
 * @param pageSize rows read at once
 */
export async function* candidatesOf(
  { executor, sql, tables }: LedgerDatabase,
  state: MediaState,
  time: CandidateTime,
  until: number,
  pageSize: number = PAGE,
): AsyncGenerator<Candidate> {
  const column = raw(`m.${time}`)
  // A file that was never referenced has no such time; among the others, the index finds these first.
  const condition = raw(time === 'finalized_at' ? 'AND m.referenced_at IS NULL' : '')
  const pageAfter = (at: number, id: string): SqlStatement =>
    sql`SELECT m.*, EXISTS (SELECT 1 FROM ${tables.reference} r WHERE r.media_id = m.id) AS is_referenced
      FROM ${tables.media} m WHERE m.state = ${state} ${condition} AND ${column} <= ${until}
      AND (${column} > ${at} OR (${column} = ${at} AND m.id > ${id})) ORDER BY ${column}, m.id LIMIT ${raw(String(pageSize))}`
  let page: Row[]
  let [at, id] = [-1, '']
  do {
    page = await rowsOf(executor, pageAfter(at, id))
    for (const row of page) {
      ;[at, id] = [toNumber(row[time]), String(row['id'])]
      yield { medium: toMedium(row), isReferenced: Boolean(Number(row['is_referenced'])) }
    }
  } while (page.length === pageSize)
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

/** Whether a record ever referenced a file: a row of a file stays when the file is deleted. */
export async function wasAnyReferenced({ executor, sql, tables }: LedgerDatabase): Promise<boolean> {
  const rows = await rowsOf(executor, sql`SELECT id FROM ${tables.media} WHERE referenced_at IS NOT NULL LIMIT 1`)
  return rows.length > 0
}

/**
 * Lists the objects under a folder that no row of the ledger needs.
 *
 * @param column the column of the ledger that holds their keys
 * @param states in which a row needs its object
 */
export async function* strayObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
  column: 'temp_key' | 'permanent_key',
  states: readonly MediaState[],
): AsyncGenerator<StoredObject> {
  let page: StoredObject[] = []
  for await (const object of storage.list(folder)) {
    page.push(object)
    if (page.length < PAGE) continue
    yield* await unknownOf(database, page, column, states)
    page = []
  }
  yield* await unknownOf(database, page, column, states)
}

async function unknownOf(
  { executor, sql, tables }: LedgerDatabase,
  objects: readonly StoredObject[],
  column: 'temp_key' | 'permanent_key',
  states: readonly MediaState[],
): Promise<StoredObject[]> {
  // Found by the id in the key, which has an index; the whole key is compared here.
  const ids = objects.map(({ key }) => /([^/-]+)-[^/]*$/.exec(key)?.[1] ?? '')
  const rows = await rowsOf(
    executor,
    sql`SELECT ${raw(column)} AS object_key FROM ${tables.media} WHERE id IN (${list(ids)}) AND state IN (${list(states)})`,
  )
  const known = new Set(rows.map((row) => row['object_key']))
  return objects.filter(({ key }) => !known.has(key))
}
