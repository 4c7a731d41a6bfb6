import { ConfigurationError } from '../core/errors.ts'
import type { Dialect } from './types.ts'
import type { SqlValue } from './values.ts'

/** SQL with its parameters, as an `SqlExecutor` takes them. */
export interface SqlStatement {
  readonly sql: string
  readonly params: unknown[]
}

/** A piece of SQL that is not a parameter; made by {@link raw}, {@link identifier}, {@link list} and {@link tuples}. */
export interface SqlFragment {
  readonly [FRAGMENT]: (dialect: Dialect, bind: (value: SqlValue) => string) => string
}

/** A template tag: each `${value}` becomes a placeholder, each fragment is written out. */
export type SqlTag = (
  strings: TemplateStringsArray,
  ...values: readonly (SqlValue | SqlFragment)[]
) => SqlStatement

const FRAGMENT: unique symbol = Symbol.for('quillgate.sql')

/**
 * Gives the template tag of a dialect: `?` for SQLite and MariaDB, `$1` for PostgreSQL.
 *
 * @throws ConfigurationError from the tag, when the template has a `?` of its own (SQLite, MariaDB), which the driver
 * would take for a placeholder
 * @example
 * const sql = sqlFor(database.dialect)
 * const { sql: text, params } = sql`SELECT id FROM ${identifier('quillgate_media')} WHERE owner_id = ${owner}`
 */
export function sqlFor(dialect: Dialect): SqlTag {
  return (strings, ...values) => {
    const params: unknown[] = []
    const bind = (value: SqlValue): string => {
      params.push(value)
      return dialect === 'postgres' ? `$${params.length}` : '?'
    }
    return { sql: write(strings, values, dialect, bind), params }
  }
}

/** A piece of SQL with values of its own, for a statement that is put together: `part`\`country = ${country}\``. */
export function part(
  strings: TemplateStringsArray,
  ...values: readonly (SqlValue | SqlFragment)[]
): SqlFragment {
  return { [FRAGMENT]: (dialect, bind) => write(strings, values, dialect, bind) }
}

/** Conditions that must all hold, in brackets; without any it always does. */
export function allOf(conditions: readonly SqlFragment[]): SqlFragment {
  return {
    [FRAGMENT]: (dialect, bind) =>
      conditions.length === 0
        ? '(1 = 1)'
        : `(${conditions.map((each) => each[FRAGMENT](dialect, bind)).join(' AND ')})`,
  }
}

function write(
  strings: TemplateStringsArray,
  values: readonly (SqlValue | SqlFragment)[],
  dialect: Dialect,
  bind: (value: SqlValue) => string,
): string {
  if (dialect !== 'postgres' && strings.some((text) => text.includes('?'))) {
    throw new ConfigurationError(
      'sql',
      'must not contain a question mark; write values into the template',
      strings.join(),
    )
  }
  let sql = strings[0] ?? ''
  for (const [index, value] of values.entries()) {
    sql +=
      (isFragment(value) ? value[FRAGMENT](dialect, bind) : bind(value)) +
      (strings[index + 1] ?? '')
  }
  return sql
}

/** SQL that is written out as it is. Never give it anything from a request. */
export function raw(sql: string): SqlFragment {
  return { [FRAGMENT]: () => sql }
}

/** The name of a table or column, quoted for the dialect. */
export function identifier(name: string): SqlFragment {
  return { [FRAGMENT]: (dialect) => quoteIdentifier(dialect, name) }
}

/**
 * Several values with commas between them, for `IN (…)`. An empty list is `NULL`, so that `IN (NULL)` matches nothing;
 * do not use it with `NOT IN`.
 */
export function list(values: readonly SqlValue[]): SqlFragment {
  return {
    [FRAGMENT]: (_dialect, bind) => (values.length === 0 ? 'NULL' : values.map(bind).join(', ')),
  }
}

/** Rows of values, for `INSERT … VALUES`: `(1, 'a'), (2, 'b')`. Needs at least one row. */
export function tuples(rows: readonly (readonly SqlValue[])[]): SqlFragment {
  return {
    [FRAGMENT]: (_dialect, bind) => rows.map((row) => `(${row.map(bind).join(', ')})`).join(', '),
  }
}

/** `CASE column WHEN key THEN value … END`, for an update that gives each row its own text. Needs at least one pair. */
export function cases(
  column: string,
  pairs: readonly (readonly [key: SqlValue, value: string | null])[],
): SqlFragment {
  return {
    [FRAGMENT]: (dialect, bind) => {
      const whens = pairs.map(([key, value]) => ` WHEN ${bind(key)} THEN ${bind(value)}`)
      return `CASE ${quoteIdentifier(dialect, column)}${whens.join('')} END`
    },
  }
}

/** ` FOR UPDATE` where rows are locked one by one; nothing on SQLite, whose transactions exclude each other. */
export function lockClause(dialect: Dialect): '' | ' FOR UPDATE' {
  return dialect === 'sqlite' ? '' : ' FOR UPDATE'
}

/**
 * Quotes the name of a table or column.
 *
 * @throws ConfigurationError when the name is empty, longer than 63 bytes or contains U+0000
 */
export function quoteIdentifier(dialect: Dialect, name: string): string {
  if (name === '' || name.includes('\0') || Buffer.byteLength(name) > 63) {
    throw new ConfigurationError('identifier', 'must be 1 to 63 bytes without U+0000', name)
  }
  const mark = dialect === 'mariadb' ? '`' : '"'
  return mark + name.replaceAll(mark, mark + mark) + mark
}

function isFragment(value: SqlValue | SqlFragment): value is SqlFragment {
  return typeof value === 'object' && value !== null && FRAGMENT in value
}
