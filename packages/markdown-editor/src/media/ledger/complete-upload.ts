import { type SqlExecutor, toNumber } from '@quillgate/server/database'
import { type LedgerDatabase, type LedgerTables, writeLocked } from './ledger-database.ts'
import type { UploadedFacts } from './medium.ts'

/** The result of completing an upload within a quota. */
export type Completion = 'completed' | 'exceeded' | 'gone'

/** `claimed`: the file got another owner just then, whose quota counts. */
type CompletionAttempt = Completion | 'claimed'

/** `uploading → temporary`: the bytes are stored. @param at milliseconds since the epoch */
export async function toTemporary(
  executor: SqlExecutor,
  tables: LedgerTables,
  id: string,
  facts: UploadedFacts,
  at: number,
): Promise<boolean> {
  const { name, type, size, checksum, width = null, height = null } = facts
  const { numUpdatedRows } = await tables
    .on(executor)
    .updateTable('media')
    .set({ name, type, size, checksum, width, height, changedAt: at, state: 'temporary' })
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Completes an upload if the owner's files then take at most `limit` bytes together.
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
 * Each takes the locks of all uploads of the owner, its own included, before it adds up: of two at
 * once the second waits for the first, and then sees its size.
 */
function tryCompleteWithin(
  database: LedgerDatabase,
  limit: number,
  id: string,
  facts: UploadedFacts,
  at: number,
): Promise<CompletionAttempt> {
  const { tables, transaction } = database
  return transaction(async (tx) => {
    const db = tables.on(tx)
    const ownerOf = db.selectFrom('media').select('owner').where('id', '=', id)
    const owner = (await ownerOf.executeTakeFirst())?.owner
    if (owner === undefined) return 'gone'
    const uploads = await db
      .selectFrom('media')
      .select('id')
      .where('owner', '=', owner)
      .where('state', '=', 'uploading')
      .orderBy('id')
      .forUpdate()
      .execute()
    const ids = uploads.map((upload) => upload.id)
    if (!ids.includes(id))
      return (await ownerOf.executeTakeFirst())?.owner === owner ? 'gone' : 'claimed'
    await writeLocked(tx, tables, ids)
    if ((await usageOf(tx, tables, owner)) + facts.size > limit) return 'exceeded'
    return (await toTemporary(tx, tables, id, facts, at)) ? 'completed' : 'gone'
  })
}

/** Bytes of the owner's files that exist. */
export async function usageOf(
  executor: SqlExecutor,
  tables: LedgerTables,
  owner: string,
): Promise<number> {
  const { bytes } = await tables
    .on(executor)
    .selectFrom('media')
    .select((eb) => eb.fn.sum('size').as('bytes'))
    .where('owner', '=', owner)
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow()
  return toNumber(bytes ?? 0)
}
