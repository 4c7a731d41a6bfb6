import { ConfigurationError } from '@quillgate/server/core'
import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'

interface Statements {
  query(sql: string, params: unknown[]): Promise<Row[]>
  execute(sql: string, params: unknown[]): Promise<number>
}

/** Creates an executor from the functions that run statements with a library. */
export function createExecutor(dialect: Dialect, { query, execute }: Statements): SqlExecutor {
  return {
    dialect,
    query: (sql, params = []) => query(sql, toParameters(dialect, params)),
    async execute(sql, params = []) {
      return { affected: await execute(sql, toParameters(dialect, params)) }
    },
  }
}

/** Converts a library's name for a database to a dialect. @param option the name in the error */
export function dialectOf(
  option: string,
  dialects: Readonly<Record<string, Dialect>>,
  name: string,
): Dialect {
  const dialect = Object.hasOwn(dialects, name) ? dialects[name] : undefined
  if (dialect) return dialect
  throw new ConfigurationError(option, `must be one of ${Object.keys(dialects).join(', ')}`, name)
}

/** The result of a statement. The members for rows and counts depend on the driver. */
export type DriverResult = readonly unknown[] | Readonly<Record<string, unknown>>

/** Returns the rows: the member `rows`, the first item of a pair (mysql2), or the whole result. */
export function rowsIn(result: DriverResult): Row[] {
  if (!Array.isArray(result)) return (result as { readonly rows: Row[] }).rows
  return Array.isArray(result[0]) ? result[0] : result
}

/** The members of a result that may contain the number of changed rows, with their drivers. */
const COUNTS = [
  'rowCount', // node-postgres
  'affectedRows', // mysql2, PGlite
  'rowsAffected', // libSQL
  'count', // postgres.js
  'changes', // better-sqlite3
] as const

/** Returns the number of changed rows. If the driver does not return the number, throws. */
export function countIn(result: DriverResult): number {
  const header = Array.isArray(result) && !('count' in result) ? result[0] : result
  for (const name of COUNTS) if (name in header) return Number(header[name] ?? 0)
  const problem = 'must use a driver that returns how many rows a statement changed'
  throw new ConfigurationError('transaction', problem)
}
