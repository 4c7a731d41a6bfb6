import { ConfigurationError } from '@quillgate/server/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { RecordKey } from '../../media/ledger/record-texts.ts'
import { fieldText, notTracked, recordKey, type Texts } from '../record-saves.ts'
import { declaredCleanupFields } from './cleanup-mixin.ts'

/** A column of TypeORM. */
export type ColumnMetadata = EntityMetadata['columns'][number]

/** An entity whose texts are tracked. */
export interface TrackedEntity {
  readonly metadata: EntityMetadata
  /** The columns with markdown. */
  readonly columns: readonly ColumnMetadata[]
}

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
 * @throws ConfigurationError when the data source is not initialized, no entity uses the mixin, or
 * a declared field is no column
 */
export function findTrackedEntities(dataSource: DataSource): Map<EntityMetadata, TrackedEntity> {
  if (!dataSource.isInitialized)
    throw new ConfigurationError('dataSource', 'must be initialized before typeormCleanup')
  const tracked = new Map<EntityMetadata, TrackedEntity>()
  let isMixinUsed = false
  for (const metadata of dataSource.entityMetadatas) {
    const fields = declaredCleanupFields(metadata.target)
    if (fields === undefined) continue
    isMixinUsed = true
    const columns = columnsOf(metadata, fields)
    if (columns.length > 0) tracked.set(metadata, { metadata, columns })
  }
  if (!isMixinUsed)
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
 * Returns the key by which the ledger knows a record. @param values an object with the primary key
 */
export function recordKeyOf(metadata: EntityMetadata, values: ObjectLiteral): RecordKey {
  const parts = metadata.primaryColumns.map((column) => column.getEntityValue(values) as unknown)
  return recordKey(metadata.tablePath, parts)
}

/**
 * Returns the texts that are given in an entity, by field.
 *
 * @throws QuillgateError `bulk_write_not_tracked` (500) for a value that only the database computes
 */
export function textsIn(columns: readonly ColumnMetadata[], entity: ObjectLiteral): Texts {
  const texts: Record<string, string | null> = {}
  for (const column of columns) {
    const value: unknown = column.getEntityValue(entity)
    if (typeof value === 'function')
      throw notTracked(`SQL in ${column.propertyPath}`, 'Write a text with save().')
    if (value !== undefined) texts[column.propertyPath] = fieldText(value)
  }
  return texts
}
