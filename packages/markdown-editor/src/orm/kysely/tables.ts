import { ConfigurationError } from '@quillgate/server/core'
import type {
  ColumnNode,
  Kysely,
  OperationNode,
  ReferenceNode,
  SelectionNode,
  TableNode,
} from 'kysely'

/** A table whose media are taken care of, named as in the application's queries. */
export interface KyselyTable<Row> {
  /** The columns of the primary key. @default 'id' */
  readonly key?: (keyof Row & string) | readonly (keyof Row & string)[]
  /** The columns with markdown. */
  readonly fields: readonly (keyof Row & string)[]
}

/** Tables by their names. */
export type KyselyTables<DB> = { readonly [Table in keyof DB & string]?: KyselyTable<DB[Table]> }

/** The same as the database names it. */
export interface TrackedTable {
  readonly name: string
  readonly key: readonly string[]
  readonly fields: readonly string[]
}

/**
 * Reads what the application configured, by the names that its plugins (such as one for camel case) make of them.
 *
 * @throws ConfigurationError for no table, or a table without key or fields
 */
export function readTables<DB>(
  db: Kysely<DB>,
  tables: KyselyTables<DB>,
): Map<string, TrackedTable> {
  const tracked = Object.entries(tables).map(([name, table]) => {
    const { key = 'id', fields } = table as KyselyTable<Record<string, unknown>>
    const keys = [key].flat()
    for (const [option, columns] of Object.entries({ key: keys, fields })) {
      if (Array.isArray(columns) && columns.length > 0) continue
      throw new ConfigurationError(`tables.${name}.${option}`, 'must name at least one column')
    }
    return namesInDatabase(db, name, keys, fields)
  })
  if (tracked.length === 0) throw new ConfigurationError('tables', 'must name at least one table')
  return new Map(tracked.map((table) => [table.name, table]))
}

function namesInDatabase<DB>(
  db: Kysely<DB>,
  table: string,
  key: readonly string[],
  fields: readonly string[],
): TrackedTable {
  const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  const { from, selections = [] } = untyped
    .selectFrom(table)
    .select([...key, ...fields])
    .toOperationNode()
  const columns = selections.map(columnOf)
  return {
    name: tableName(from?.froms[0]) ?? table,
    key: columns.slice(0, key.length),
    fields: columns.slice(key.length),
  }
}

function columnOf({ selection }: SelectionNode): string {
  return ((selection as ReferenceNode).column as ColumnNode).column.name
}

/** The name of a table as a query has it, with its schema where that names one; undefined for anything else. */
export function tableName(node: OperationNode | undefined): string | undefined {
  if (node?.kind !== 'TableNode') return undefined
  const { schema, identifier } = (node as TableNode).table
  return schema ? `${schema.name}.${identifier.name}` : identifier.name
}
