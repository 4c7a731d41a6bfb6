import { createSqlExecutor, type SqlExecutor } from '@quillgate/server/database'
import type { Kysely } from 'kysely'

/**
 * Returns an executor for a transaction of Kysely, for the option `tx` of `references.set`.
 *
 * @param transaction the argument of the callback of `transaction().execute()`
 * @throws ConfigurationError if the dialect is not SQLite, PostgreSQL or MariaDB
 * @example
 * const { removed } = await db.transaction().execute(async (trx) => {
 *   await trx.updateTable('post').set({ body }).where('id', '=', id).execute()
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: kyselyExecutor(trx), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
// biome-ignore lint/suspicious/noExplicitAny: tables of any kind are accepted; the type of Kysely is invariant
export function kyselyExecutor(transaction: Kysely<any>): SqlExecutor {
  return createSqlExecutor(transaction)
}
