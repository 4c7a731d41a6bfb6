import { findMediaIds } from '@quillgate/markdown/media-urls'
import type { QuillgateError } from '@quillgate/server/core'
import type { BeforeQueryEvent, EntityMetadata, ObjectLiteral, QueryRunner } from 'typeorm'
import { editorError } from '../../errors.ts'
import {
  isSqlite,
  type RecordValues,
  readRecords,
  recordsWithTexts,
  recordsWithValues,
} from './bulk.ts'
import {
  type ConflictClause,
  conflictClauseOf,
  insertedColumns,
  isComplete,
  isHidden,
  isInsertInto,
  uniqueSets,
} from './conflicts.ts'
import { type ColumnMetadata, recordKeyOf, type TrackedEntity, textsIn } from './entities.ts'
import { dataSourceOf } from './executor.ts'

/** What an insert may have written. */
export interface Inserted {
  /** Each as it is now; others may be among them, which does no harm. */
  readonly records: readonly ObjectLiteral[]
  /** Keys of records that got another one. */
  readonly gone: readonly ObjectLiteral[]
}

/** Finds out which records an INSERT wrote. */
export interface Inserts {
  /** This record will be inserted on this connection. */
  expect(runner: QueryRunner, tracked: TrackedEntity, entity: ObjectLiteral): void
  /**
   * In front of each statement: of an expected insert, notes what was given.
   * @throws QuillgateError `expression_not_tracked` (500) where it could not be told which record it updates
   */
  beforeQuery(event: BeforeQueryEvent): Promise<void> | undefined
  /**
   * @throws QuillgateError `record_without_id` (500) when the key of a plain insert is not known, and
   * `expression_not_tracked` (500) when no record is found
   */
  written(runner: QueryRunner, tracked: TrackedEntity, entity: ObjectLiteral): Promise<Inserted>
}

/** An insert of one record, as it was given: TypeORM fills in keys afterwards, and after a conflict wrong ones. */
interface Row {
  readonly conflict: ConflictClause | null
  /** Values of unique columns; one of these sets finds the record. */
  readonly unique: readonly RecordValues[]
  /** What was given, as an entity. */
  readonly values: ObjectLiteral
  /** Keys of the records that may get another one. */
  before: readonly ObjectLiteral[]
}

/** Makes it. */
export function createInserts(): Inserts {
  // Weak, for an insert that fails before its statement is never heard of again.
  const expected = new WeakMap<QueryRunner, Map<WeakRef<ObjectLiteral>, TrackedEntity>>()
  const references = new WeakMap<ObjectLiteral, WeakRef<ObjectLiteral>>()
  const rows = new WeakMap<ObjectLiteral, Row>()

  const note = async (
    runner: QueryRunner,
    tracked: TrackedEntity,
    entity: ObjectLiteral,
    sql: string,
  ) => {
    const conflict = conflictClauseOf(runner, tracked.metadata, sql)
    const row = rowOf(runner, tracked, givenIn(runner, tracked, entity, sql), conflict)
    rows.set(entity, row)
    if (!row.conflict?.writesKey) return
    const found = await recordsWithValues(runner, { ...tracked, columns: [] }, row.unique)
    row.before = found.map((record) => tracked.metadata.ensureEntityIdMap(record))
  }

  const forget = (runner: QueryRunner, entity: ObjectLiteral) => {
    const reference = references.get(entity)
    if (reference) expected.get(runner)?.delete(reference)
  }

  return {
    expect(runner, tracked, entity) {
      const all = expected.get(runner) ?? new Map<WeakRef<ObjectLiteral>, TrackedEntity>()
      const reference = references.get(entity) ?? new WeakRef(entity)
      references.set(entity, reference)
      expected.set(runner, all.set(reference, tracked))
    },

    beforeQuery({ queryRunner, query, parameters }) {
      const all = expected.get(queryRunner)
      if (!all?.size) return
      const given = new Set<unknown>(Array.isArray(parameters) ? parameters : [])
      const into = alive(all).filter(([, { metadata }]) =>
        isInsertInto(queryRunner, metadata, query),
      )
      // Others may wait for their turn on this connection.
      const own = into.filter(([entity, tracked]) =>
        hasTexts(given, queryRunner, tracked, givenIn(queryRunner, tracked, entity, query)),
      )
      const inserted = own.length > 0 ? own : into
      for (const [entity] of inserted) forget(queryRunner, entity)
      return inserted.reduce(
        (previous, [entity, tracked]) =>
          previous.then(() => note(queryRunner, tracked, entity, query)),
        Promise.resolve(),
      )
    },

    async written(runner, tracked, entity) {
      const row = rows.get(entity)
      rows.delete(entity)
      forget(runner, entity)
      const id = tracked.metadata.getEntityIdMap(entity)
      if (!row?.conflict && id)
        return { records: await readRecords(runner, tracked, [id]), gone: [] }
      const records = row ? await recordsOf(runner, tracked, row) : []
      if (records.length === 0) assertNothingLost(runner, tracked, entity, row)
      return { records, gone: row ? await goneOf(runner, tracked, row.before) : [] }
    },
  }
}

function alive(
  expected: Map<WeakRef<ObjectLiteral>, TrackedEntity>,
): [ObjectLiteral, TrackedEntity][] {
  return [...expected].flatMap(([reference, tracked]) => {
    const entity = reference.deref()
    if (entity === undefined) expected.delete(reference)
    return entity === undefined ? [] : [[entity, tracked]]
  })
}

/** What of an entity is inserted: PostgreSQL is given no key that it generates, whatever the entity says. */
function givenIn(
  runner: QueryRunner,
  { metadata }: TrackedEntity,
  entity: ObjectLiteral,
  sql: string,
): ObjectLiteral {
  const values: ObjectLiteral = {}
  for (const column of insertedColumns(runner, metadata, sql)) {
    column.setEntityValue(values, column.getEntityValue(entity))
  }
  return values
}

function rowOf(
  runner: QueryRunner,
  { metadata, columns }: TrackedEntity,
  values: ObjectLiteral,
  conflict: ConflictClause | null,
): Row {
  const { driver } = dataSourceOf(runner)
  const sets = uniqueSets(metadata)
  const mayUpdate = conflict?.isUpdate ? (conflict.target ? [conflict.target] : sets) : []
  for (const set of mayUpdate) if (isHidden(set, values)) throw hidden(metadata, set)
  const unique = [...sets, ...mayUpdate].filter((set) => isComplete(set, values))
  // By its texts it is found only if these are known.
  if (conflict && unique.length === 0) textsIn(columns, values)
  const prepared = (column: ColumnMetadata) =>
    driver.preparePersistentValue(column.getEntityValue(values), column)
  return {
    conflict,
    unique: unique.map((set) => new Map(set.map((column) => [column, prepared(column)]))),
    values,
    before: [],
  }
}

async function recordsOf(
  runner: QueryRunner,
  tracked: TrackedEntity,
  row: Row,
): Promise<ObjectLiteral[]> {
  if (row.unique.length > 0) return recordsWithValues(runner, tracked, row.unique)
  // Then it met no other record: it is new, and without media it needs nothing.
  const records: ObjectLiteral[] = []
  if (!hasMedia(tracked, row.values)) return records
  for await (const record of recordsWithTexts(runner, tracked, row.values)) records.push(record)
  return records
}

async function goneOf(
  runner: QueryRunner,
  { metadata }: TrackedEntity,
  ids: readonly ObjectLiteral[],
) {
  if (ids.length === 0) return []
  const left = await readRecords(runner, { metadata, columns: [] }, ids)
  return ids.filter((id) => !left.some((record) => metadata.compareEntities(id, record)))
}

/** An insert that is ignored leaves no record; but MariaDB then also changes what it cannot store. */
function assertNothingLost(
  runner: QueryRunner,
  tracked: TrackedEntity,
  entity: ObjectLiteral,
  row?: Row,
): void {
  const { metadata } = tracked
  if (!row?.conflict) {
    if (hasMedia(tracked, row?.values ?? entity)) recordKeyOf(metadata, entity)
    return
  }
  const mayBeIgnored =
    !row.conflict.isUpdate && (isSqlite(runner) || dataSourceOf(runner).options.type === 'postgres')
  if (mayBeIgnored) return
  if (hasMedia(tracked, row.values) || (row.conflict.isUpdate && row.unique.length > 0))
    throw notFound(metadata)
}

function hasMedia({ columns }: TrackedEntity, values: ObjectLiteral): boolean {
  const texts = Object.values(textsIn(columns, values) ?? {})
  return texts.some((text) => text !== null && findMediaIds(text).size > 0)
}

function hasTexts(
  given: ReadonlySet<unknown>,
  runner: QueryRunner,
  { columns }: TrackedEntity,
  values: ObjectLiteral,
): boolean {
  const { driver } = dataSourceOf(runner)
  return columns.every((column) => {
    const value: unknown = driver.preparePersistentValue(column.getEntityValue(values), column)
    return typeof value !== 'string' || given.has(value)
  })
}

function hidden({ name }: EntityMetadata, columns: readonly ColumnMetadata[]): QuillgateError {
  const names = columns.map(({ propertyPath }) => propertyPath).join(', ')
  const detail = `Which ${name} this insert updates cannot be told, so its media cannot be seen. Give values for ${names}.`
  return editorError('expression_not_tracked', detail)
}

function notFound({ name }: EntityMetadata): QuillgateError {
  const detail = `No ${name} was found as this insert wrote it, so its media cannot be kept. Declare the unique columns of the entity, or use save().`
  return editorError('expression_not_tracked', detail)
}
