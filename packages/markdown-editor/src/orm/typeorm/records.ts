import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm'
import type { RecordEntry } from '../../media/references/media-references.ts'
import { findTrackedEntities, recordKeyOf, type TrackedEntity, textsIn } from './entities.ts'

const PAGE = 500

/**
 * Reads all records of the entities that use `MarkdownCleanupMixin`, for `references.rebuild` and
 * `markdown-editor reindex`.
 *
 * @throws ConfigurationError as `typeormCleanup` does
 * @example
 * createMarkdownEditor({ …, records: { all: () => typeormRecords(dataSource) } })
 */
export async function* typeormRecords(dataSource: DataSource): AsyncGenerator<RecordEntry> {
  for (const tracked of findTrackedEntities(dataSource).values()) {
    let last: ObjectLiteral | undefined
    do {
      const page: ObjectLiteral[] = await pageAfter(dataSource, tracked, last)
      for (const record of page) {
        yield {
          ...recordKeyOf(tracked.metadata, record),
          texts: textsIn(tracked.columns, record) ?? {},
        }
      }
      last = page.length === PAGE ? page.at(-1) : undefined
    } while (last)
  }
}

function selectOf(
  dataSource: DataSource,
  { metadata, columns }: TrackedEntity,
): SelectQueryBuilder<ObjectLiteral> {
  const paths = new Set(
    [...metadata.primaryColumns, ...columns].map(({ propertyPath }) => `record.${propertyPath}`),
  )
  return dataSource
    .createQueryBuilder(metadata.target, 'record')
    .select([...paths])
    .withDeleted()
    .callListeners(false)
}

/** By the key of the last record, not by its position, which moves when records come and go. */
function pageAfter(
  dataSource: DataSource,
  tracked: TrackedEntity,
  last?: ObjectLiteral,
): Promise<ObjectLiteral[]> {
  const keys = tracked.metadata.primaryColumns
  const query = selectOf(dataSource, tracked)
  for (const { propertyPath } of keys) query.addOrderBy(`record.${propertyPath}`)
  if (last) {
    const after = keys.map((_, index) => {
      const equal = keys.slice(0, index).map((key, n) => `record.${key.propertyPath} = :key${n}`)
      return `(${[...equal, `record.${keys[index]?.propertyPath} > :key${index}`].join(' AND ')})`
    })
    query.where(
      `(${after.join(' OR ')})`,
      Object.fromEntries(keys.map((key, n) => [`key${n}`, key.getEntityValue(last, true)])),
    )
  }
  return query.limit(PAGE).getMany()
}
