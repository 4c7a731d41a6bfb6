import { lockClause, raw, type SqlExecutor, sqlFor, toNumber } from '@quillgate/server/database'
import {
  affectedBy,
  type LedgerDatabase,
  type LedgerTables,
  rowsOf,
} from '../ledger/ledger-database.ts'

/** A row of the table of intents. */
export interface OpenIntent {
  readonly id: string
  readonly record: { readonly type: string; readonly id: string }
}

const PAGE = 500

/** Adds a row, at epoch 0. @param at milliseconds since the epoch */
export async function insertIntent(
  { lax, sql, tables }: LedgerDatabase,
  intent: OpenIntent,
  at: number,
): Promise<void> {
  const { id, record } = intent
  // Where a power failure takes it, it takes the references too, which are written after it.
  await affectedBy(
    lax,
    sql`INSERT INTO ${tables.intent} (id, record_type, record_id, epoch, created_at)
      VALUES (${id}, ${record.type}, ${record.id}, 0, ${at})`,
  )
}

/**
 * Locks the open intents of a record, so that of two that end at the same time one is the last.
 *
 * @returns the epoch of each, by its id
 */
export async function lockIntents(
  tx: SqlExecutor,
  { intent }: LedgerTables,
  { type, id }: OpenIntent['record'],
): Promise<Map<string, number>> {
  const sql = sqlFor(tx.dialect)
  const lock = raw(lockClause(tx.dialect))
  const rows = await rowsOf(
    tx,
    sql`SELECT id, epoch FROM ${intent} WHERE record_type = ${type} AND record_id = ${id} ORDER BY id${lock}`,
  )
  return new Map(rows.map((row) => [String(row['id']), toNumber(row['epoch'])]))
}

/** Begins another epoch for the other intents of a record: whoever is just reading the record must read it again. */
export async function outdateOthers(
  tx: SqlExecutor,
  { intent }: LedgerTables,
  { id, record }: OpenIntent,
): Promise<void> {
  const sql = sqlFor(tx.dialect)
  await affectedBy(
    tx,
    sql`UPDATE ${intent} SET epoch = epoch + 1
      WHERE record_type = ${record.type} AND record_id = ${record.id} AND id <> ${id}`,
  )
}

/** Removes a row. */
export async function closeIntent(
  tx: SqlExecutor,
  { intent }: LedgerTables,
  id: string,
): Promise<void> {
  const sql = sqlFor(tx.dialect)
  await affectedBy(tx, sql`DELETE FROM ${intent} WHERE id = ${id}`)
}

/** The intents that began by `until`, the oldest first. @param until milliseconds since the epoch */
export async function* listIntents(
  { executor, sql, tables }: LedgerDatabase,
  until: number,
): AsyncGenerator<OpenIntent> {
  let page: OpenIntent[]
  let [at, after] = [-1, '']
  do {
    const rows = await rowsOf(
      executor,
      sql`SELECT id, record_type, record_id, created_at FROM ${tables.intent} WHERE created_at <= ${until}
        AND (created_at > ${at} OR (created_at = ${at} AND id > ${after}))
        ORDER BY created_at, id LIMIT ${raw(String(PAGE))}`,
    )
    page = rows.map((row) => {
      ;[at, after] = [toNumber(row['created_at']), String(row['id'])]
      return {
        id: after,
        record: { type: String(row['record_type']), id: String(row['record_id']) },
      }
    })
    yield* page
  } while (page.length === PAGE)
}
