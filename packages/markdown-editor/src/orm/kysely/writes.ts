import type { Dialect } from '@quillgate/server/database'
import {
  AliasNode,
  ColumnNode,
  type ColumnUpdateNode,
  type DeleteQueryNode,
  FromNode,
  IdentifierNode,
  type InsertQueryNode,
  type OperationNode,
  ReferenceNode,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  SelectModifierNode,
  type SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  type WithNode,
} from 'kysely'
import { notTracked } from '../errors.ts'
import { type TrackedTable, tableName } from './tables.ts'

/** A statement that writes records of a tracked table. */
export interface TrackedWrite {
  readonly kind: 'insert' | 'update' | 'delete'
  readonly table: TrackedTable
  /** The columns whose values are needed afterwards: the key, then the written fields. */
  readonly columns: readonly string[]
  /**
   * The statement, changed so that its rows have `columns` too, as {@link extraColumn} names them; null where the
   * database cannot return what it changed.
   */
  readonly returning: RootOperationNode | null
  /** Finds and locks the records that the statement will write, by `columns`. */
  readonly select: SelectQueryNode | null
}

type WriteNode = InsertQueryNode | UpdateQueryNode | DeleteQueryNode

/** What a column of ours is called among those that the application asked for. */
export function extraColumn(index: number): string {
  return `quillgate_${index}`
}

/**
 * Finds out what a query writes.
 *
 * @returns null when it writes no text of a tracked table
 * @throws QuillgateError `expression_not_tracked` (500) for a write that cannot be followed
 */
export function findWrite(
  query: RootOperationNode,
  tables: ReadonlyMap<string, TrackedTable>,
  dialect: Dialect,
): TrackedWrite | null {
  for (const expression of (query as { with?: WithNode }).with?.expressions ?? []) {
    refuseHidden(expression.expression, tables)
  }
  if (query.kind === 'MergeQueryNode') return refuseHidden(query, tables)
  if (!isWrite(query) || query.explain) return null
  const targets = targetsOf(query)
  const [target] = targets
  const table = targets.map((each) => trackedOf(each, tables)).find((each) => each !== undefined)
  if (!target || !table) return null
  if (targets.length > 1) throw notTracked(table.name, 'Write one table at a time.')
  const columns = [...table.key, ...writtenFields(query, table)]
  if (query.kind === 'UpdateQueryNode' && columns.length === table.key.length) return null
  const returnsRows = query.kind === 'InsertQueryNode' || dialect !== 'mariadb'
  return {
    kind: KINDS[query.kind],
    table,
    columns,
    returning: returnsRows ? withReturning(query, target, columns, dialect) : null,
    select:
      query.kind === 'InsertQueryNode' || returnsRows ? null : selectOf(query, target, table.key),
  }
}

const KINDS = {
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
} as const

function isWrite(node: OperationNode): node is WriteNode {
  return node.kind in KINDS
}

function targetsOf(query: WriteNode): readonly OperationNode[] {
  if (query.kind === 'DeleteQueryNode') return query.from.froms
  const target = query.kind === 'InsertQueryNode' ? query.into : query.table
  if (target?.kind === 'ListNode')
    return (target as unknown as { items: readonly OperationNode[] }).items
  return target ? [target] : []
}

/** The tracked table, under the name with which the query calls it: each schema has records of its own. */
function trackedOf(
  target: OperationNode,
  tables: ReadonlyMap<string, TrackedTable>,
): TrackedTable | undefined {
  const node = target.kind === 'AliasNode' ? (target as AliasNode).node : target
  const name = tableName(node)
  if (name === undefined) return undefined
  const tracked = tables.get(name) ?? tables.get((node as TableNode).table.identifier.name)
  return tracked && { ...tracked, name }
}

function writtenFields(query: WriteNode, table: TrackedTable): readonly string[] {
  if (query.kind === 'DeleteQueryNode') return []
  if (query.kind === 'InsertQueryNode') {
    if (query.replace || query.orAction?.action === 'replace') {
      throw notTracked(
        table.name,
        'A replaced record is not seen: write insert … on conflict … update.',
      )
    }
    // The columns by which it finds the record stay as they are.
    const { columns = [], updates = [] } = query.onConflict ?? {}
    const found = columns.map(({ column }) => column.name)
    const written = writtenColumns([...updates, ...(query.onDuplicateKey?.updates ?? [])])
    refuseKey(
      table,
      new Set(written.filter((column) => column !== null && !found.includes(column))),
    )
    return table.fields
  }
  const written = writtenColumns(query.updates ?? [])
  refuseKey(table, new Set(written))
  return written.includes(null)
    ? table.fields
    : table.fields.filter((field) => written.includes(field))
}

/** Their names; null for a column that is no plain name. */
function writtenColumns(updates: readonly ColumnUpdateNode[]): (string | null)[] {
  return updates.map(({ column }) => {
    const node = column.kind === 'ReferenceNode' ? (column as ReferenceNode).column : column
    return node.kind === 'ColumnNode' ? (node as ColumnNode).column.name : null
  })
}

function refuseKey({ name, key }: TrackedTable, written: ReadonlySet<string | null>): void {
  if (!key.some((column) => written.has(column))) return
  throw notTracked(
    name,
    'The primary key of a record must not change: delete it and insert another one.',
  )
}

function withReturning(
  query: WriteNode,
  target: OperationNode,
  columns: readonly string[],
  dialect: Dialect,
): RootOperationNode {
  // SQLite returns columns of the written table only, and does not know its alias there.
  const table = dialect !== 'sqlite' && hasOtherTables(query) ? referenceTo(target) : undefined
  const selections = [...(query.returning?.selections ?? []), ...selectionsOf(columns, table)]
  return { ...query, returning: ReturningNode.create(selections) }
}

function selectOf(
  query: UpdateQueryNode | DeleteQueryNode,
  target: OperationNode,
  columns: readonly string[],
): SelectQueryNode {
  const others = query.kind === 'DeleteQueryNode' ? query.using?.tables : query.from?.froms
  const { joins, where, orderBy, limit } = query
  return {
    kind: 'SelectQueryNode',
    from: FromNode.create([
      target,
      ...(others ?? []).filter((other) => tableName(other) !== tableName(target)),
    ]),
    selections: selectionsOf(columns, referenceTo(target)),
    endModifiers: [SelectModifierNode.create('ForUpdate')],
    ...(query.with ? { with: query.with } : {}),
    ...(joins ? { joins } : {}),
    ...(where ? { where } : {}),
    ...(orderBy ? { orderBy } : {}),
    ...(limit ? { limit } : {}),
  }
}

function selectionsOf(columns: readonly string[], table: TableNode | undefined): SelectionNode[] {
  return columns.map((column, index) => {
    const reference = ReferenceNode.create(ColumnNode.create(column), table)
    return SelectionNode.create(
      AliasNode.create(reference, IdentifierNode.create(extraColumn(index))),
    )
  })
}

/** Whether another table may have a column of the same name. */
function hasOtherTables(query: WriteNode): boolean {
  if (query.kind === 'InsertQueryNode') return false
  return Boolean(query.joins ?? (query.kind === 'UpdateQueryNode' ? query.from : query.using))
}

function referenceTo(target: OperationNode): TableNode {
  if (target.kind !== 'AliasNode') return target as TableNode
  return TableNode.create(((target as AliasNode).alias as IdentifierNode).name)
}

/** A statement within another one gives its rows to that one, not to us. */
function refuseHidden(node: OperationNode, tables: ReadonlyMap<string, TrackedTable>): null {
  const targets = isWrite(node)
    ? targetsOf(node)
    : node.kind === 'MergeQueryNode'
      ? [intoOf(node)]
      : []
  for (const target of targets) {
    const table = trackedOf(target, tables)
    if (table) throw notTracked(table.name, 'Write it as an insert, update or delete of its own.')
  }
  return null
}

function intoOf(node: OperationNode): OperationNode {
  return (node as unknown as { into: OperationNode }).into
}
