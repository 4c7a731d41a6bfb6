import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/database'
import { ConfigurationError } from '@quillgate/http'
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

/** @throws ConfigurationError for a kind of database that Quillgate does not speak */
export function dialectOfDrizzle(db: unknown): Dialect {
  if (is(db, PgDatabase)) return 'postgres'
  if (is(db, MySqlDatabase)) return 'mariadb'
  if (is(db, BaseSQLiteDatabase)) return 'sqlite'
  throw new ConfigurationError('db', 'must be a Drizzle database for SQLite, PostgreSQL or MariaDB')
}

/** How the drivers answer a statement; each says rows and counts in its own way. */
type Answer =
  | readonly [unknown, ...unknown[]]
  | {
      readonly rows?: readonly Row[]
      readonly rowCount?: number | null
      readonly affectedRows?: number
      readonly rowsAffected?: number
      readonly count?: number
      readonly changes?: number
    }

/** What is used of a database here. */
interface RawDatabase {
  /** PostgreSQL and MariaDB. */
  execute(statement: SQL): Promise<Answer>
  /** SQLite: with rows. */
  all(statement: SQL): Row[] | Promise<Row[]>
  /** SQLite: without rows. */
  run(statement: SQL): Answer | Promise<Answer>
}

/** Sees a Drizzle database or transaction as plain SQL. */
export function createDrizzleExecutor(db: DrizzleDatabase, dialect: Dialect): SqlExecutor {
  const raw = db as unknown as RawDatabase
  const statementOf = (text: string, params: readonly unknown[]): SQL =>
    toStatement(text, toParameters(dialect, params), dialect)
  return {
    dialect,
    async query(text, params = []) {
      const statement = statementOf(text, params)
      return dialect === 'sqlite' ? await raw.all(statement) : rowsOf(await raw.execute(statement), dialect)
    },
    async execute(text, params = []) {
      const statement = statementOf(text, params)
      return { affected: countOf(await (dialect === 'sqlite' ? raw.run(statement) : raw.execute(statement))) }
    },
  }
}

/** Text with the placeholders of the dialect; none of them stands within a literal. */
function toStatement(text: string, params: readonly unknown[], dialect: Dialect): SQL {
  if (dialect !== 'postgres') {
    const chunks = text
      .split('?')
      .flatMap((part, index) => [...(index > 0 ? [sql.param(params[index - 1])] : []), sql.raw(part)])
    return sql.join(chunks)
  }
  const chunks = text.split(/\$(\d+)/).map((part, index) => {
    return index % 2 === 0 ? sql.raw(part) : sql.param(params[Number(part) - 1])
  })
  return sql.join(chunks)
}

/** mysql2 gives [rows, fields], node-postgres an object, postgres.js the rows themselves. */
function rowsOf(answer: Answer, dialect: Dialect): Row[] {
  const rows = dialect === 'mariadb' && Array.isArray(answer) ? answer[0] : 'rows' in answer ? answer.rows : answer
  return Array.isArray(rows) ? rows : []
}

function countOf(answer: Answer): number {
  const header = (Array.isArray(answer) && !('count' in answer) ? answer[0] : answer) as Exclude<
    Answer,
    readonly unknown[]
  >
  const { rowCount, affectedRows, rowsAffected, count, changes } = header
  return rowCount ?? affectedRows ?? rowsAffected ?? count ?? changes ?? 0
}
