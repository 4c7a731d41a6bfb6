import { ConfigurationError } from '@quillgate/server/core'
import type { Dialect, Row, SqlExecutor } from '@quillgate/server/database'
import { is, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { MySqlDatabase } from 'drizzle-orm/mysql-core'
import { PgDatabase } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { countIn, createExecutor, type DriverResult, rowsIn } from './executor.ts'

// biome-ignore-start lint/suspicious/noExplicitAny: databases of any schema and driver are accepted; their types are invariant.
/** A Drizzle database or transaction, with any driver for SQLite, PostgreSQL or MariaDB. */
export type DrizzleDatabase =
  | PgDatabase<any, any, any>
  | MySqlDatabase<any, any, any, any>
  | BaseSQLiteDatabase<any, any, any, any>
// biome-ignore-end lint/suspicious/noExplicitAny: see above

interface RawDatabase {
  /** Runs any statement on PostgreSQL or MariaDB. */
  execute(statement: SQL): Promise<DriverResult>
  /** Runs a statement on SQLite, and returns its rows. */
  all(statement: SQL): Row[] | Promise<Row[]>
  /** Runs a statement on SQLite that returns no rows. */
  run(statement: SQL): DriverResult | Promise<DriverResult>
}

/**
 * Returns an executor for a transaction of Drizzle, for the option `tx` of `references.set`.
 *
 * @param transaction the argument of the callback of `transaction`. better-sqlite3 has no
 * asynchronous transactions. Pass its database between your own `BEGIN` and `COMMIT`.
 * @throws ConfigurationError if the argument is not from Drizzle for SQLite, PostgreSQL or MariaDB
 * @example
 * const { removed } = await db.transaction(async (tx) => {
 *   await tx.update(posts).set({ body }).where(eq(posts.id, id))
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: drizzleExecutor(tx), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function drizzleExecutor(transaction: DrizzleDatabase): SqlExecutor {
  const raw = transaction as unknown as RawDatabase
  if (is(transaction, BaseSQLiteDatabase)) {
    return createExecutor('sqlite', {
      query: async (text, params) => raw.all(toStatement(text, params)),
      execute: async (text, params) => countIn(await raw.run(toStatement(text, params))),
    })
  }
  return createExecutor(dialectOfServer(transaction), {
    query: async (text, params) => rowsIn(await raw.execute(toStatement(text, params))),
    execute: async (text, params) => countIn(await raw.execute(toStatement(text, params))),
  })
}

function dialectOfServer(transaction: unknown): Dialect {
  if (is(transaction, PgDatabase)) return 'postgres'
  if (is(transaction, MySqlDatabase)) return 'mariadb'
  const problem = 'must be a Drizzle database for SQLite, PostgreSQL or MariaDB'
  throw new ConfigurationError('transaction', problem)
}

/** Replaces `?` and `$1` with parameters. No string literal in the statements contains them. */
function toStatement(text: string, params: readonly unknown[]): SQL {
  let next = 0
  const chunks = text.split(/\$(\d+)|(\?)/).flatMap((part, index): SQLChunk[] => {
    if (index % 3 === 0) return [sql.raw(part)]
    if (part === undefined) return []
    return [sql.param(part === '?' ? params[next++] : params[Number(part) - 1])]
  })
  return sql.join(chunks)
}
