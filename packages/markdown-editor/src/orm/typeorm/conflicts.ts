import type { EntityMetadata, ObjectLiteral, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from './entities.ts'
import { dataSourceOf } from './executor.ts'

/** What an INSERT does with a record that is there already. */
export interface ConflictClause {
  /** False: it leaves that record as it is. */
  readonly isUpdate: boolean
  /** The columns that find that record; null: any unique columns. */
  readonly target: readonly ColumnMetadata[] | null
  /** Whether the found record may get another primary key. */
  readonly writesKey: boolean
}

const UPDATE =
  /^ON (?:CONFLICT\b.*? DO UPDATE SET|DUPLICATE KEY UPDATE) (.*?)(?: WHERE | RETURNING |$)/s
const TARGET = /^ON CONFLICT \( (.*?) \)/s

/** Reads the clause from the statement as TypeORM writes it. @returns null for a plain INSERT */
export function conflictClauseOf(
  runner: QueryRunner,
  { columns, primaryColumns }: EntityMetadata,
  sql: string,
): ConflictClause | null {
  const { driver } = dataSourceOf(runner)
  const start = Math.max(sql.lastIndexOf(' ON CONFLICT'), sql.lastIndexOf(' ON DUPLICATE KEY'))
  const clause = start < 0 ? '' : sql.slice(start + 1)
  if (clause === '' && !/\bINSERT\s+IGNORE\b/.test(sql)) return null
  const named = TARGET.exec(clause)?.[1]?.split(', ')
  const target = named
    ? columns.filter(({ databaseName }) => named.includes(driver.escape(databaseName)))
    : null
  const set = UPDATE.exec(clause)?.[1]
  const writes = ({ databaseName }: ColumnMetadata) =>
    set?.includes(`${driver.escape(databaseName)} = `) ?? false
  return {
    isUpdate: set !== undefined,
    target: target?.length === named?.length ? target : null,
    writesKey: primaryColumns.some((column) => writes(column) && !target?.includes(column)),
  }
}

/** Whether a statement inserts records of this entity. */
export function isInsertInto(runner: QueryRunner, metadata: EntityMetadata, sql: string): boolean {
  return /\bINSERT\b/.test(sql) && sql.includes(intoOf(runner, metadata))
}

/** The columns that an INSERT as TypeORM writes it gives values to. */
export function insertedColumns(
  runner: QueryRunner,
  metadata: EntityMetadata,
  sql: string,
): ColumnMetadata[] {
  const into = intoOf(runner, metadata)
  const rest = sql.slice(sql.indexOf(into) + into.length)
  const names = /^(?: AS "[^"]*")?\((.*?)\) VALUES /s.exec(rest)?.[1]?.split(', ') ?? []
  return metadata.columns.filter(({ databaseName }) =>
    names.includes(dataSourceOf(runner).driver.escape(databaseName)),
  )
}

function intoOf(runner: QueryRunner, { tablePath }: EntityMetadata): string {
  const { driver } = dataSourceOf(runner)
  return `INTO ${tablePath
    .split('.')
    .map((part) => driver.escape(part))
    .join('.')}`
}

/** Columns that no two records have alike, as the entity declares them; the primary key first. */
export function uniqueSets({
  primaryColumns,
  uniques,
  indices,
}: EntityMetadata): (readonly ColumnMetadata[])[] {
  const declared = [...uniques, ...indices.filter(({ isUnique }) => isUnique)].map(
    ({ columns }) => columns,
  )
  return [primaryColumns, ...declared].filter((columns) => columns.length > 0)
}

/** Whether all of these columns have values, so that they find the record. */
export function isComplete(columns: readonly ColumnMetadata[], entity: ObjectLiteral): boolean {
  return columns.every((column) => {
    const value: unknown = column.getEntityValue(entity)
    return value !== undefined && value !== null && typeof value !== 'function'
  })
}

/** Whether these columns may be those of another record although not all values are known: the database fills them in. */
export function isHidden(columns: readonly ColumnMetadata[], entity: ObjectLiteral): boolean {
  if (isComplete(columns, entity)) return false
  return !columns.some((column) => {
    const value: unknown = column.getEntityValue(entity)
    return value === null || (value === undefined && isNullOrNew(column))
  })
}

function isNullOrNew({
  default: value,
  isGenerated,
  isVersion,
  isDiscriminator,
}: ColumnMetadata): boolean {
  return isGenerated || ((value === undefined || value === null) && !isVersion && !isDiscriminator)
}
