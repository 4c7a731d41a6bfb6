import {
  type IdentifierNode,
  type InsertQueryNode,
  type Kysely,
  type KyselyPlugin,
  OnDuplicateKeyNode,
  OperationNodeTransformer,
  OrActionNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  type SchemableIdentifierNode,
  type Selectable,
  type SelectQueryNode,
  type UnknownRow,
} from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import { snakeCase } from '../core/snake-case.ts'
import type { Column, RowOf, Table } from './columns.ts'
import { kyselyOn } from './kysely-on.ts'
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
   * Returns Kysely's query builder for these tables. The statements run on the executor, which can
   * be a transaction of the application. Names are in camel case. Integers are numbers and booleans
   * are booleans on every database.
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
 * @throws ConfigurationError if two tables have a column with the same name but different types
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
  // Caches the Kysely instance of each executor, because creating it is slower than a statement.
  const opened = new WeakMap<SqlExecutor, { prefix: string; kysely: Kysely<Rows> }>()
  return {
    on(executor, prefix) {
      let known = opened.get(executor)
      if (known?.prefix !== prefix) {
        const { dialect } = executor
        const plugin = new TablesPlugin({ dialect, prefix, names, columns })
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
        throw new ConfigurationError(
          'tables',
          `must define the column ${name} with the same type in each table`,
        )
      found.set(snakeCase(name), { name, column })
    }
  }
  return found
}

/** The SQL after the closing parenthesis of CREATE TABLE. */
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

/** The columns of all tables. The key is the name in SQL, and `name` is the name in TypeScript. */
type ColumnsByName = Map<string, { readonly name: string; readonly column: Column }>

function readRow(columns: ColumnsByName, row: UnknownRow): UnknownRow {
  const read: UnknownRow = {}
  for (const key in row) {
    const value = row[key]
    const known = columns.get(key)
    if (known) read[known.name] = value == null ? null : known.column.read(value)
    else read[key] = value
  }
  return read
}

interface Naming {
  readonly dialect: Dialect
  readonly prefix: string
  readonly names: ReadonlySet<string>
  readonly columns: ColumnsByName
}

/**
 * Converts the names in statements to SQL names, and the names in results to TypeScript names.
 * Adapts locks and `onConflict` to the dialect.
 */
class TablesPlugin extends OperationNodeTransformer implements KyselyPlugin {
  readonly #naming: Naming

  constructor(naming: Naming) {
    super()
    this.#naming = naming
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.transformNode(node, queryId)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return { ...result, rows: result.rows.map((row) => readRow(this.#naming.columns, row)) }
  }

  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    return { ...node, name: snakeCase(node.name) }
  }

  // The node is a table or an alias. Only tables get the prefix.
  protected override transformSchemableIdentifier(
    node: SchemableIdentifierNode,
  ): SchemableIdentifierNode {
    const { name } = node.identifier
    const prefix = this.#naming.names.has(name) ? this.#naming.prefix : ''
    return { ...node, identifier: { ...node.identifier, name: `${prefix}${snakeCase(name)}` } }
  }

  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    const { endModifiers, ...query } = super.transformSelectQuery(node, id)
    return endModifiers && this.#naming.dialect !== 'sqlite' ? { ...query, endModifiers } : query
  }

  protected override transformInsertQuery(node: InsertQueryNode, id?: QueryId): InsertQueryNode {
    const { onConflict, ...query } = super.transformInsertQuery(node, id)
    if (!onConflict) return query
    if (this.#naming.dialect !== 'mariadb') return { ...query, onConflict }
    const { updates } = onConflict
    return updates
      ? { ...query, onDuplicateKey: OnDuplicateKeyNode.create(updates) }
      : { ...query, orAction: OrActionNode.create('ignore') }
  }
}
