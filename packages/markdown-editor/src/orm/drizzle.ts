import { ConfigurationError } from '@quillgate/server/core'
import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'
import { is, type SQL, sql } from 'drizzle-orm'
import { MySqlDatabase } from 'drizzle-orm/mysql-core'
import { PgDatabase } from 'drizzle-orm/pg-core'
import { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

// biome-ignore-start lint/suspicious/noExplicitAny: databases of any schema and driver are accepted; their types are invariant.
/** A database, or a transaction, of any driver of Drizzle for SQLite, PostgreSQL or MariaDB. */
export type DrizzleDatabase =
  | PgDatabase<any, any, any>
  | MySqlDatabase<any, any, any, any>
  | BaseSQLiteDatabase<any, any, any, any>
// biome-ignore-end lint/suspicious/noExplicitAny: see above

function dialectOfDrizzle(db: unknown): Dialect {
  if (is(db, PgDatabase)) return 'postgres'
  if (is(db, MySqlDatabase)) return 'mariadb'
  if (is(db, BaseSQLiteDatabase)) return 'sqlite'
  throw new ConfigurationError('db', 'must be a Drizzle database for SQLite, PostgreSQL or MariaDB')
}

/** The result of a statement; each driver has its own form for rows and counts. */
type Answer = readonly unknown[] | Readonly<Record<string, unknown>>

/** The part of a database that the executor uses. */
interface RawDatabase {
  /** PostgreSQL and MariaDB. */
  execute(statement: SQL): Promise<Answer>
  /** SQLite: with rows. */
  all(statement: SQL): Row[] | Promise<Row[]>
  /** SQLite: without rows. */
  run(statement: SQL): Answer | Promise<Answer>
}

/**
 * Returns an executor for a transaction of Drizzle, for the option `tx` of `references.set`.
 *
 * @param transaction what Drizzle passes to the callback of `transaction`; with better-sqlite3,
 * which has no asynchronous transactions, the database between your own `BEGIN` and `COMMIT`
 * @throws ConfigurationError if it is not a database of Drizzle for SQLite, PostgreSQL or MariaDB
 * @example
 * const { removed } = await db.transaction(async (tx) => {
 *   await tx.update(posts).set({ body }).where(eq(posts.id, id))
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: drizzleExecutor(tx), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function drizzleExecutor(transaction: DrizzleDatabase): SqlExecutor {
  const dialect = dialectOfDrizzle(transaction)
  const raw = transaction as unknown as RawDatabase
  const statementOf = (text: string, params: readonly unknown[]): SQL =>
    toStatement(text, toParameters(dialect, params), dialect)
  return {
    dialect,
    async query(text, params = []) {
      const statement = statementOf(text, params)
      return dialect === 'sqlite'
        ? await raw.all(statement)
        : rowsOf(await raw.execute(statement), dialect)
    },
    async execute(text, params = []) {
      const statement = statementOf(text, params)
      return {
        affected: countOf(
          await (dialect === 'sqlite' ? raw.run(statement) : raw.execute(statement)),
        ),
      }
    },
  }
}

/** Converts the placeholders of the dialect; our statements contain none within a literal. */
function toStatement(text: string, params: readonly unknown[], dialect: Dialect): SQL {
  if (dialect !== 'postgres') {
    const chunks = text
      .split('?')
      .flatMap((part, index) => [
        ...(index > 0 ? [sql.param(params[index - 1])] : []),
        sql.raw(part),
      ])
    return sql.join(chunks)
  }
  const chunks = text.split(/\$(\d+)/).map((part, index) => {
    return index % 2 === 0 ? sql.raw(part) : sql.param(params[Number(part) - 1])
  })
  return sql.join(chunks)
}

/** mysql2 returns [rows, fields], postgres.js the rows themselves, the others an object. */
function rowsOf(answer: Answer, dialect: Dialect): Row[] {
  if (!Array.isArray(answer)) return (answer as { readonly rows: Row[] }).rows
  return dialect === 'mariadb' ? answer[0] : answer
}

/** The names in node-postgres, mysql2 and PGlite, libSQL, postgres.js, and better-sqlite3. */
const COUNTS = ['rowCount', 'affectedRows', 'rowsAffected', 'count', 'changes'] as const

/** @throws ConfigurationError for a driver that does not report the count */
function countOf(answer: Answer): number {
  const header = Array.isArray(answer) && !('count' in answer) ? answer[0] : answer
  for (const name of COUNTS) if (name in header) return Number(header[name] ?? 0)
  throw new ConfigurationError(
    'db',
    'must be on a driver that says how many rows a statement changed',
  )
}
