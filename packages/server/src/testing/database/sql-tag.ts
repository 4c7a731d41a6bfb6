import type { Dialect } from '../../database/types.ts'

/** SQL and its parameters, for a `SqlExecutor`. */
export interface SqlStatement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** A template tag for SQL statements. Each `${value}` becomes a placeholder. */
export type SqlTag = (strings: TemplateStringsArray, ...values: readonly unknown[]) => SqlStatement

/**
 * Returns a template tag that writes placeholders as the dialect does: `?` for SQLite and MariaDB,
 * `$1` for PostgreSQL.
 */
export function sqlTag(dialect: Dialect): SqlTag {
  return (strings, ...params) => ({
    sql: strings.reduce(
      (sql, text, index) => sql + (dialect === 'postgres' ? `$${index}` : '?') + text,
    ),
    params,
  })
}
