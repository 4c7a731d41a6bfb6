import { ConfigurationError } from '@quillgate/server/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import { editorError } from '../../errors.ts'
import type { RecordKey } from '../../media/record-texts.ts'
import { recordKey } from '../record-key.ts'
import { declaredCleanupFields } from './cleanup-mixin.ts'

/** A column, as TypeORM knows it. */
export type ColumnMetadata = EntityMetadata['columns'][number]

/** An entity whose media are taken care of. */
export interface TrackedEntity {
  readonly metadata: EntityMetadata
  /** The columns with markdown. */
  readonly columns: readonly ColumnMetadata[]
}

/** The written texts of a record, by field. */
export type WrittenTexts = Record<string, string | null>

const TEXT_TYPES: readonly unknown[] = [
  String,
  ...[
    'varchar',
    'varchar2',
    'nvarchar',
    'character varying',
    'varying character',
    'char',
    'nchar',
    'character',
  ],
  ...[
    'native character',
    'national varchar',
    'text',
    'ntext',
    'tinytext',
    'mediumtext',
    'longtext',
    'clob',
    'citext',
  ],
]

/**
 * Finds the entities that use `MarkdownCleanupMixin`, by their metadata.
 *
 * @throws ConfigurationError when the data source is not initialized, no entity uses the mixin, or a declared field is
 * no column
 */
export function findTrackedEntities(dataSource: DataSource): Map<EntityMetadata, TrackedEntity> {
  if (!dataSource.isInitialized)
    throw new ConfigurationError('dataSource', 'must be initialized before typeormCleanup')
  const tracked = new Map<EntityMetadata, TrackedEntity>()
  for (const metadata of dataSource.entityMetadatas) {
    const fields = declaredCleanupFields(metadata.target)
    if (fields !== undefined)
      tracked.set(metadata, { metadata, columns: columnsOf(metadata, fields) })
  }
  if (tracked.size === 0)
    throw new ConfigurationError('dataSource', 'has no entity that uses MarkdownCleanupMixin')
  return tracked
}

function columnsOf(metadata: EntityMetadata, fields: readonly string[] | null): ColumnMetadata[] {
  if (fields === null) return metadata.columns.filter(isText)
  return fields.map((field) => {
    const column = metadata.columns.find(({ propertyPath }) => propertyPath === field)
    if (column) return column
    throw new ConfigurationError(
      `${metadata.name}.markdownCleanupFields`,
      'must name columns of the entity',
      field,
    )
  })
}

function isText({ type, isArray, isPrimary, isDiscriminator }: ColumnMetadata): boolean {
  return TEXT_TYPES.includes(type) && !isArray && !isPrimary && !isDiscriminator
}

/**
 * The key by which the ledger knows a record; see {@link recordKey}.
 *
 * @param values an object with the primary key, as the entity has it
 * @throws QuillgateError `record_without_id` (500) when a part of the key is not known
 */
export function recordKeyOf(metadata: EntityMetadata, values: ObjectLiteral): RecordKey {
  const parts = metadata.primaryColumns.map((column) => column.getEntityValue(values) as unknown)
  const key = recordKey(metadata.tablePath, parts)
  if (key) return key
  const detail = `The primary key of a saved ${metadata.name} is not known, so its media cannot be kept. Use save().`
  throw editorError('record_without_id', detail)
}

/**
 * A bulk update does not tell which record had which key before.
 *
 * @throws QuillgateError `expression_not_tracked` (500) when the written values have a part of the primary key
 */
export function assertSameKey(metadata: EntityMetadata, values: ObjectLiteral): void {
  if (metadata.primaryColumns.every((column) => column.getEntityValue(values) === undefined)) return
  const detail = `An update of ${metadata.name} must not write its primary key: leave it out, or delete the record and save another one.`
  throw editorError('expression_not_tracked', detail)
}

/**
 * The texts of an entity; a field that is not in it was not written. Null when no tracked field is in it.
 *
 * @throws QuillgateError `expression_not_tracked` (500) for a value that only the database will compute
 */
export function textsIn(
  columns: readonly ColumnMetadata[],
  entity: ObjectLiteral,
): WrittenTexts | null {
  const texts: WrittenTexts = {}
  for (const column of columns) {
    const value: unknown = column.getEntityValue(entity)
    if (value !== undefined) texts[column.propertyPath] = toText(value, column)
  }
  return Object.keys(texts).length > 0 ? texts : null
}

function toText(value: unknown, { propertyPath }: ColumnMetadata): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value !== 'function') return JSON.stringify(value)
  const detail = `${propertyPath} is written as SQL, so its media cannot be seen. Write it with save(), or name other cleanup fields.`
  throw editorError('expression_not_tracked', detail)
}
