import type { Kysely, Selectable } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import type { RowOf, Table } from './columns.ts'
import { kyselyOn } from './kysely-on.ts'
import { type ColumnsByName, readRow, snakeCase, TablesPlugin } from './tables-plugin.ts'
import type { Dialect, Row, SqlExecutor } from './types.ts'

/** Tables by their names in TypeScript. In SQL, `mediaFile` is `<prefix>media_file`. */
export type TableDefinitions = Readonly<Record<string, Table>>

/** The types of the rows of tables, for Kysely's query builder. */
export type RowsOf<Definitions extends TableDefinitions> = {
  [Name in keyof Definitions]: RowOf<Definitions[Name]>
}

/** The tables of a component, made by {@link defineTables}. */
export interface Tables<Rows> {
  /**
   * Returns Kysely's query builder on these tables. Its statements run on the executor, which may
   * be a transaction of the application. Names are in camel case, and integers and booleans are
   * read the same on each database.
   *
   * `forUpdate()` and `onConflict(…)` work on every database. On SQLite, `forUpdate()` has no
   * effect, because transactions exclude each other. On MariaDB, `onConflict` becomes `INSERT
   * IGNORE` or `ON DUPLICATE KEY UPDATE`, so do not refer to `excluded`. In `sql` templates, write
   * column names with `sql.ref`. Read results of `count`, `sum` and `max` with `toNumber`.
   */
  on(executor: SqlExecutor, prefix: string): Kysely<Rows>
  /** Converts a row that was read without the query builder. */
  read<Name extends keyof Rows>(table: Name, row: Row): Selectable<Rows[Name]>
  /** Returns the statements that create the tables and indexes if they do not exist. */
  createStatements(dialect: Dialect, prefix: string): readonly string[]
}

/**
 * Describes the tables of a component.
 *
 * @throws ConfigurationError when two tables have a column of the same name and different types
 * @example
 * const tables = defineTables({ visit })
 * const db = tables.on(database.executor(database.kysely), 'app_')
 * await db.selectFrom('visit').selectAll().where('userId', '=', 'ada').execute()
 */
export function defineTables<const Definitions extends TableDefinitions>(
  definitions: Definitions,
): Tables<RowsOf<Definitions>> {
  type Rows = RowsOf<Definitions>
  const names = new Set(Object.keys(definitions))
  const columns = columnsOf(definitions)
  // A transaction runs many statements on one executor, and creating a Kysely instance costs more
  // than a statement.
  const opened = new WeakMap<SqlExecutor, { prefix: string; kysely: Kysely<Rows> }>()
  return {
    on(executor, prefix) {
      let known = opened.get(executor)
      if (known?.prefix !== prefix) {
        const plugin = new TablesPlugin(executor.dialect, prefix, names, columns)
        known = { prefix, kysely: kyselyOn<Rows>(executor, plugin) }
        opened.set(executor, known)
      }
      return known.kysely
    },
    read: (_, row) => readRow(columns, row) as Selectable<Rows[typeof _]>,
    createStatements: (dialect, prefix) =>
      Object.entries(definitions).flatMap(([name, table]) =>
        createTable(dialect, `${prefix}${snakeCase(name)}`, table),
      ),
  }
}

function columnsOf(definitions: TableDefinitions): ColumnsByName {
  const found: ColumnsByName = new Map()
  for (const table of Object.values(definitions)) {
    for (const [name, column] of Object.entries(table.columns)) {
      const other = found.get(snakeCase(name))?.column
      if (other && other.read !== column.read)
        throw new ConfigurationError('tables', 'must not give a column two types', name)
      found.set(snakeCase(name), { name, column })
    }
  }
  return found
}

/** The SQL after the closing bracket of CREATE TABLE. */
export const TABLE_SUFFIX: Readonly<Record<Dialect, string>> = {
  sqlite: ' STRICT',
  postgres: '',
  mariadb: ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin',
}

function createTable(dialect: Dialect, name: string, table: Table): readonly string[] {
  const list = (columns: readonly string[]): string => columns.map(snakeCase).join(', ')
  const lines = Object.entries(table.columns).map(
    ([column, { types, isNullable }]) =>
      `  ${snakeCase(column)} ${types[dialect]}${isNullable ? '' : ' NOT NULL'}`,
  )
  if (table.primaryKey.length > 0) lines.push(`  PRIMARY KEY (${list(table.primaryKey)})`)
  const create = `CREATE TABLE IF NOT EXISTS ${name} (\n${lines.join(',\n')}\n)`
  const indexes = table.indexes.map((index) => {
    const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
    const where = index.where && dialect !== 'mariadb' ? ` WHERE ${index.where}` : ''
    return `CREATE ${kind} IF NOT EXISTS ${name}_${index.name} ON ${name} (${list(index.columns)})${where}`
  })
  return [create + TABLE_SUFFIX[dialect], ...indexes]
}
