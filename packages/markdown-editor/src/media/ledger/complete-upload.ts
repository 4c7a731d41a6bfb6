import {
  lockClause,
  raw,
  type SqlExecutor,
  type SqlStatement,
  sqlFor,
  toNumber,
} from '@quillgate/server/database'
import {
  affectedBy,
  type LedgerDatabase,
  type LedgerTables,
  rowsOf,
  writeLocked,
} from './ledger-database.ts'
import type { UploadedFacts } from './medium.ts'

/** What came of completing an upload within a quota. */
export type Completion = 'completed' | 'exceeded' | 'gone'

/** `claimed`: the file got another owner just then, whose quota counts. */
type CompletionAttempt = Completion | 'claimed'

/** `uploading → temporary`, as a statement: the bytes are stored. @param at milliseconds since the epoch */
export function toTemporary(
  { sql, tables }: LedgerDatabase,
  id: string,
  facts: UploadedFacts,
  at: number,
): SqlStatement {
  return sql`UPDATE ${tables.media} SET state = 'temporary', changed_at = ${at}, name = ${facts.name},
    type = ${facts.type}, size = ${facts.size}, checksum = ${facts.checksum}, width = ${facts.width ?? null},
    height = ${facts.height ?? null} WHERE id = ${id} AND state = 'uploading'`
}

/**
 * The same, if the owner's files then take no more than `limit` bytes together.
 *
 * @param at milliseconds since the epoch
 */
export async function completeWithin(
  database: LedgerDatabase,
  limit: number,
  id: string,
  facts: UploadedFacts,
  at: number,
): Promise<Completion> {
  for (;;) {
    const completion = await tryCompleteWithin(database, limit, id, facts, at)
    if (completion !== 'claimed') return completion
  }
}

/**
 * Each takes the locks of all uploads of the owner, its own included, before it adds up: of two at once the second
 * waits for the first, and then sees its size.
 */
function tryCompleteWithin(
  database: LedgerDatabase,
  limit: number,
  id: string,
  facts: UploadedFacts,
  at: number,
): Promise<CompletionAttempt> {
  const { sql, tables, transaction } = database
  const ownerIn = async (tx: SqlExecutor): Promise<string | undefined> => {
    const [row] = await rowsOf(tx, sql`SELECT owner FROM ${tables.media} WHERE id = ${id}`)
    return row && String(row['owner'])
  }
  return transaction(async (tx) => {
    const owner = await ownerIn(tx)
    if (owner === undefined) return 'gone'
    const uploads = await rowsOf(
      tx,
      sql`SELECT id FROM ${tables.media} WHERE owner = ${owner} AND state = 'uploading'
        ORDER BY id ${raw(lockClause(tx.dialect))}`,
    )
    const ids = uploads.map((upload) => String(upload['id']))
    if (!ids.includes(id)) return (await ownerIn(tx)) === owner ? 'gone' : 'claimed'
    await writeLocked(tx, tables, ids)
    if ((await usageOf(tx, tables, owner)) + facts.size > limit) return 'exceeded'
    return (await affectedBy(tx, toTemporary(database, id, facts, at))) > 0 ? 'completed' : 'gone'
  })
}

/** Bytes of the owner's files that exist. */
export async function usageOf(
  executor: SqlExecutor,
  { media }: LedgerTables,
  owner: string,
): Promise<number> {
  const sql = sqlFor(executor.dialect)
  const [row] = await rowsOf(
    executor,
    sql`SELECT COALESCE(SUM(size), 0) AS bytes FROM ${media} WHERE owner = ${owner} AND state <> 'deleted'`,
  )
  return toNumber(row?.['bytes'])
}
