import { ConfigurationError } from '@quillgate/server/core'
import type { Dialect } from '@quillgate/server/database'
import {
  and,
  type Column,
  eq,
  getTableColumns,
  getTableName,
  inArray,
  or,
  type SQL,
  type Table,
} from 'drizzle-orm'
import { type MySqlTable, getTableConfig as mysqlTableConfig } from 'drizzle-orm/mysql-core'
import { type PgTable, getTableConfig as pgTableConfig } from 'drizzle-orm/pg-core'
import { type SQLiteTable, getTableConfig as sqliteTableConfig } from 'drizzle-orm/sqlite-core'
import { editorError } from '../../errors.ts'
import type { RecordKey } from '../../media/record-texts.ts'
import { recordKey } from '../record-key.ts'
import { toText } from '../to-text.ts'

/** A table whose media are taken care of. */
export interface DrizzleTable<Of extends Table = Table> {
  readonly table: Of
  /** The columns with markdown, as the schema calls them; null: every text column. */
  readonly fields: readonly (keyof Of['_']['columns'] & string)[] | null
}

/** A row, by the names that the schema gives to the columns. */
export type Row = Record<string, unknown>

/** The same with what the schema knows of it. */
export interface TrackedTable {
  readonly table: Table
  readonly name: string
  readonly key: Readonly<Record<string, Column>>
  readonly fields: Readonly<Record<string, Column>>
}

const TEXT_TYPES = /^(Pg|MySql|SQLite)(Text|VarChar|Varchar|Char)$/

/**
 * Reads the schema of the tables.
 *
 * @throws ConfigurationError for no table, a table without primary key, and a field that is no column
 */
export function readTables(
  tables: readonly DrizzleTable[],
  dialect: Dialect,
): Map<Table, TrackedTable> {
  if (tables.length === 0) throw new ConfigurationError('tables', 'must name at least one table')
  return new Map(tables.map(({ table, fields }) => [table, readTable(table, fields, dialect)]))
}

function readTable(table: Table, fields: readonly string[] | null, dialect: Dialect): TrackedTable {
  const columns = Object.entries<Column>(getTableColumns(table))
  const { name, schema, primaryKeys } = configOf(table, dialect)
  // By their names: those of PostgreSQL are copies.
  const composite: readonly Column[] = primaryKeys[0]?.columns ?? []
  const key = columns.filter(
    ([, { primary, name }]) => primary || composite.some((column) => column.name === name),
  )
  if (key.length === 0) throw new ConfigurationError('tables', `must have a primary key: ${name}`)
  const unknown = fields?.find((field) => !columns.some(([property]) => property === field))
  if (unknown !== undefined)
    throw new ConfigurationError('fields', `must name columns of ${name}`, unknown)
  const isKey = (column: Column): boolean => key.some(([, each]) => each === column)
  const tracked = columns.filter(([property, column]) =>
    fields ? fields.includes(property) : TEXT_TYPES.test(column.columnType) && !isKey(column),
  )
  return {
    table,
    name: schema ? `${schema}.${name}` : name,
    key: Object.fromEntries(key),
    fields: Object.fromEntries(tracked),
  }
}

function configOf(table: Table, dialect: Dialect) {
  if (dialect === 'postgres') return pgTableConfig(table as PgTable)
  if (dialect === 'mariadb') return mysqlTableConfig(table as MySqlTable)
  return { schema: undefined, ...sqliteTableConfig(table as SQLiteTable) }
}

/** @throws ConfigurationError for a table that `drizzleCleanup` was not told of */
export function trackedTable(tables: ReadonlyMap<Table, TrackedTable>, table: Table): TrackedTable {
  const tracked = tables.get(table)
  if (tracked) return tracked
  throw new ConfigurationError(
    'tables',
    'must name every table that is written here',
    getTableName(table),
  )
}

/**
 * The key of a record as the ledger knows it.
 * @throws QuillgateError `record_without_id` (500) when a part of it is null
 */
export function keyOf({ name, key }: TrackedTable, row: Row): RecordKey {
  const found = recordKey(
    name,
    Object.keys(key).map((property) => row[property]),
  )
  if (found) return found
  throw editorError(
    'record_without_id',
    `A record of ${name} has no primary key, so its media cannot be kept.`,
  )
}

/** The texts of the given fields. */
export function textsOf(fields: TrackedTable['fields'], row: Row): Record<string, string | null> {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, toText(row[field])]))
}

/** The tracked fields among the written ones. @throws QuillgateError `expression_not_tracked` (500) for the primary key */
export function writtenFields(
  { name, key, fields }: TrackedTable,
  values: Row,
): TrackedTable['fields'] {
  const written = Object.keys(values).filter((property) => values[property] !== undefined)
  if (written.some((property) => Object.hasOwn(key, property))) {
    const detail = `The primary key of a record of ${name} must not change: delete it and insert another one.`
    throw editorError('expression_not_tracked', detail)
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([property]) => written.includes(property)),
  )
}

/** The condition that finds the records with these keys. */
export function whereKeys({ key }: TrackedTable, rows: readonly Row[]): SQL | undefined {
  const [first, ...others] = Object.entries(key)
  if (first && others.length === 0) {
    const [property, column] = first
    return inArray(
      column,
      rows.map((row) => row[property]),
    )
  }
  return or(
    ...rows.map((row) =>
      and(...Object.entries(key).map(([property, column]) => eq(column, row[property]))),
    ),
  )
}
