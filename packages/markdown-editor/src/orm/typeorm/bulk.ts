import { findMediaIds } from '@quillgate/markdown/media-urls'
import type { BeforeQueryEvent, ObjectLiteral, QueryRunner, SelectQueryBuilder } from 'typeorm'
import { type ColumnMetadata, type TrackedEntity, textsIn } from './entities.ts'
import { dataSourceOf } from './executor.ts'

/** Records read at once. */
const PAGE = 500
/** Records that a bulk update without any media may touch; see {@link recordsWithTexts}. */
const MOST_WITHOUT_MEDIA = 1000

/** Reads records by their primary keys, with their tracked fields as the entity has them, also soft-removed ones. */
export async function readRecords(
  runner: QueryRunner,
  tracked: TrackedEntity,
  ids: readonly ObjectLiteral[],
): Promise<ObjectLiteral[]> {
  const found: ObjectLiteral[] = []
  for (let start = 0; start < ids.length; start += PAGE) {
    const query = selectOf(runner, tracked).whereInIds(ids.slice(start, start + PAGE))
    found.push(...(await query.getMany()))
  }
  return found
}

/** Values of columns, as the database has them. */
export type RecordValues = ReadonlyMap<ColumnMetadata, unknown>

/** Reads the records that have all values of one of the sets. */
export async function recordsWithValues(
  runner: QueryRunner,
  tracked: TrackedEntity,
  sets: readonly RecordValues[],
): Promise<ObjectLiteral[]> {
  if (sets.length === 0) return []
  const { driver } = dataSourceOf(runner)
  const query = selectOf(runner, tracked)
  for (const [set, values] of sets.entries()) {
    const equal = [...values.keys()].map(
      ({ databaseName }, index) =>
        `${driver.escape('record')}.${driver.escape(databaseName)} = :value${set}_${index}`,
    )
    const parameters = Object.fromEntries(
      [...values.values()].map((value, index) => [`value${set}_${index}`, value]),
    )
    query.orWhere(`(${equal.join(' AND ')})`, parameters)
  }
  return query.getMany()
}

/**
 * Reads the records that a bulk update may have touched: an update does not tell which they are, but they have the texts
 * that it wrote. Others may have the same texts; that does no harm, for each record is looked at as it is.
 *
 * Where the texts mention no media, only the first 1,000 are read: for more, references may stay that are not needed.
 */
export async function* recordsWithTexts(
  runner: QueryRunner,
  tracked: TrackedEntity,
  values: ObjectLiteral,
): AsyncGenerator<ObjectLiteral> {
  const texts = textsIn(tracked.columns, values) ?? {}
  const hasMedia = Object.values(texts).some((text) => text !== null && findMediaIds(text).size > 0)
  for (let offset = 0; hasMedia || offset < MOST_WITHOUT_MEDIA; offset += PAGE) {
    const query = selectOf(runner, tracked).offset(offset).limit(PAGE)
    for (const [index, column] of tracked.columns
      .filter(({ propertyPath }) => propertyPath in texts)
      .entries()) {
      const value: unknown = column.getEntityValue(values, true)
      if (value === null) query.andWhere(`record.${column.propertyPath} IS NULL`)
      else
        query.andWhere(`record.${column.propertyPath} = :text${index}`, { [`text${index}`]: value })
    }
    for (const { propertyPath } of tracked.metadata.primaryColumns)
      query.addOrderBy(`record.${propertyPath}`)
    const records = await query.getMany()
    yield* records
    if (records.length < PAGE) return
  }
}

function selectOf(
  runner: QueryRunner,
  { metadata, columns }: TrackedEntity,
): SelectQueryBuilder<ObjectLiteral> {
  const paths = new Set(
    [...metadata.primaryColumns, ...columns].map(({ propertyPath }) => propertyPath),
  )
  const query = runner.manager
    .createQueryBuilder(metadata.target, 'record', runner)
    .select([...paths].map((path) => `record.${path}`))
    .withDeleted()
    .callListeners(false)
  return isSqlite(runner) || !runner.isTransactionActive
    ? query
    : query.setLock('pessimistic_write')
}

/** True for SQLite, whose transactions lock the whole database. */
export function isSqlite(runner: QueryRunner): boolean {
  return dataSourceOf(runner).options.type === 'better-sqlite3'
}

/** Finds out which records a bulk delete takes. */
export interface BulkDeletes {
  /** A bulk delete of these entities comes next on this connection. */
  expect(runner: QueryRunner, tracked: TrackedEntity): void
  /** In front of each statement: of an expected delete, notes which records it will take. */
  beforeQuery(event: BeforeQueryEvent): Promise<void> | undefined
  /** The primary keys of the records that the delete took. */
  taken(runner: QueryRunner): Promise<readonly ObjectLiteral[]>
}

/** Makes it. TypeORM does not tell; but the condition of the DELETE selects them before it runs. */
export function createBulkDeletes(): BulkDeletes {
  const expected = new WeakMap<QueryRunner, TrackedEntity>()
  const noted = new WeakMap<
    QueryRunner,
    { readonly tracked: TrackedEntity; readonly ids: readonly ObjectLiteral[] }
  >()

  const note = async (
    runner: QueryRunner,
    tracked: TrackedEntity,
    condition: string,
    parameters: unknown[],
  ) => {
    const { driver } = dataSourceOf(runner)
    const { primaryColumns } = tracked.metadata
    const names = primaryColumns.map(({ databaseName }) => driver.escape(databaseName))
    const { records } = await runner.query(
      `SELECT ${names.join(', ')} FROM ${condition}`,
      parameters,
      true,
    )
    const ids = (records as ObjectLiteral[]).map((row) => {
      const id: ObjectLiteral = {}
      for (const column of primaryColumns) {
        column.setEntityValue(id, driver.prepareHydratedValue(row[column.databaseName], column))
      }
      return id
    })
    noted.set(runner, { tracked, ids })
  }

  return {
    expect: (runner, tracked) => void expected.set(runner, tracked),

    beforeQuery({ queryRunner, query, parameters }) {
      const tracked = expected.get(queryRunner)
      const [, condition] = (tracked && /^DELETE FROM ((?:(?! RETURNING ).)+)/s.exec(query)) || []
      if (!tracked || condition === undefined) return
      expected.delete(queryRunner)
      return note(queryRunner, tracked, condition, Array.isArray(parameters) ? parameters : [])
    },

    async taken(runner) {
      const { tracked, ids = [] } = noted.get(runner) ?? {}
      noted.delete(runner)
      if (!tracked || ids.length === 0) return []
      const { metadata } = tracked
      const left = await readRecords(runner, { metadata, columns: [] }, ids)
      return ids.filter((id) => !left.some((record) => metadata.compareEntities(id, record)))
    },
  }
}
