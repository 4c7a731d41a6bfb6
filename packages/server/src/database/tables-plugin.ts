import {
  type IdentifierNode,
  type InsertQueryNode,
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
  type SelectQueryNode,
  type UnknownRow,
} from 'kysely'
import type { Column } from './columns.ts'
import type { Dialect } from './types.ts'

/** The columns of all tables by their names in SQL, with their names in TypeScript. */
export type ColumnsByName = Map<string, { readonly name: string; readonly column: Column }>

/** Turns `createdAt` into `created_at`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Converts the names and the values of a row from the database. */
export function readRow(columns: ColumnsByName, row: UnknownRow): UnknownRow {
  const read: UnknownRow = {}
  for (const key in row) {
    const value = row[key]
    const known = columns.get(key)
    if (known) read[known.name] = value == null ? null : known.column.read(value)
    else read[key] = value
  }
  return read
}

/**
 * Converts the names in statements to those of the database, and the rows of results to those of
 * TypeScript. Adapts locks and `onConflict` to the dialect.
 */
export class TablesPlugin extends OperationNodeTransformer implements KyselyPlugin {
  readonly #dialect: Dialect
  readonly #prefix: string
  readonly #tables: ReadonlySet<string>
  readonly #columns: ColumnsByName

  constructor(
    dialect: Dialect,
    prefix: string,
    tables: ReadonlySet<string>,
    columns: ColumnsByName,
  ) {
    super()
    this.#dialect = dialect
    this.#prefix = prefix
    this.#tables = tables
    this.#columns = columns
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.transformNode(node, queryId)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return { ...result, rows: result.rows.map((row) => readRow(this.#columns, row)) }
  }

  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    return { ...node, name: snakeCase(node.name) }
  }

  // The node is a table or an alias. Only tables get the prefix.
  protected override transformSchemableIdentifier(
    node: SchemableIdentifierNode,
  ): SchemableIdentifierNode {
    const { name } = node.identifier
    const prefix = this.#tables.has(name) ? this.#prefix : ''
    return { ...node, identifier: { ...node.identifier, name: `${prefix}${snakeCase(name)}` } }
  }

  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    const { endModifiers, ...query } = super.transformSelectQuery(node, id)
    return endModifiers && this.#dialect !== 'sqlite' ? { ...query, endModifiers } : query
  }

  protected override transformInsertQuery(node: InsertQueryNode, id?: QueryId): InsertQueryNode {
    const { onConflict, ...query } = super.transformInsertQuery(node, id)
    if (!onConflict) return query
    if (this.#dialect !== 'mariadb') return { ...query, onConflict }
    const { updates } = onConflict
    return updates
      ? { ...query, onDuplicateKey: OnDuplicateKeyNode.create(updates) }
      : { ...query, orAction: OrActionNode.create('ignore') }
  }
}
