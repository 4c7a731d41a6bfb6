import { ConfigurationError } from '@quillgate/server/core'
import type { Dialect, Row, SqlExecutor } from '@quillgate/server/database'
import type {
  DataSource,
  EntityMetadata,
  EntitySubscriberInterface,
  InsertEvent,
  ObjectLiteral,
  QueryRunner,
  RemoveEvent,
  TransactionCommitEvent,
  UpdateEvent,
} from 'typeorm'
import { checkTexts } from '../media/references.ts'
import { createExecutor, dialectOf } from './executor.ts'
import { declaredCleanupFields } from './markdown-cleanup-mixin.ts'
import {
  type CleanupEditor,
  type CleanupOptions,
  checkFields,
  fieldText,
  notTracked,
  RecordSaves,
  recordKey,
  type Texts,
} from './record-saves.ts'

export type { Actor } from '../media/ledger/principal.ts'
export { type MarkdownCleanup, MarkdownCleanupMixin } from './markdown-cleanup-mixin.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  postgres: 'postgres',
  mariadb: 'mariadb',
  mysql: 'mariadb',
}
const INSTEAD =
  'Load the records, then call save() or remove(). Or use callListeners(false), and call references.set for each record.'
const HAS_CONFLICT_CLAUSE = /\bON CONFLICT\b|\bON DUPLICATE KEY\b|\bINSERT\s+IGNORE\b/

/**
 * Returns an executor for the transaction of a TypeORM query runner, for the option `tx` of
 * `references.set`.
 *
 * @param queryRunner the query runner of the transaction: `manager.queryRunner`
 * @throws ConfigurationError for a database that is not supported
 * @example
 * const { removed } = await dataSource.transaction(async (manager) => {
 *   await manager.query('UPDATE post SET body = $1 WHERE id = $2', [body, id])
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: typeormExecutor(manager.queryRunner), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function typeormExecutor(queryRunner: QueryRunner | undefined): SqlExecutor {
  if (!queryRunner)
    throw new ConfigurationError(
      'queryRunner',
      'is missing. Pass the queryRunner of the manager in the transaction callback',
    )
  return createExecutor(dialectOfDataSource(queryRunner.manager.connection), {
    query: async (sql, params) => (await queryRunner.query(sql, params, true)).records as Row[],
    execute: async (sql, params) => (await queryRunner.query(sql, params, true)).affected ?? 0,
  })
}

function dialectOfDataSource({ options }: DataSource): Dialect {
  return dialectOf('dataSource.type', DIALECTS, options.type)
}

/**
 * Tracks all entities that use `MarkdownCleanupMixin`. Call it once at start-up, when the data
 * source is initialized and the editor is ready. The data source and the editor must use the same
 * database.
 *
 * `save`, `insert` and `remove` are tracked. `update` of tracked columns or keys, `delete` and
 * `upsert` throw, because TypeORM does not report which records they write. A soft-removed record
 * keeps its media, because it can be recovered. Raw SQL, `clear` and ON DELETE CASCADE are not
 * tracked, so call `references.set` or `references.remove` after such writes.
 *
 * @throws ConfigurationError if the data source is not initialized or not supported, if a declared
 * field is not a column, or if no entity uses the mixin
 * @example
 * await Promise.all([dataSource.initialize(), gate.ready()])
 * typeormCleanup(editor, dataSource, { actorOf: () => requests.getStore()?.user })
 */
export function typeormCleanup(
  editor: CleanupEditor,
  dataSource: DataSource,
  options: CleanupOptions = {},
): void {
  dialectOfDataSource(dataSource)
  if (!dataSource.isInitialized)
    throw new ConfigurationError('dataSource', 'must be initialized before typeormCleanup')
  const tracked: TrackedColumns = new Map()
  for (const metadata of dataSource.entityMetadatas) {
    const fields = declaredCleanupFields(metadata.target)
    if (fields !== undefined) tracked.set(metadata, columnsOf(metadata, fields))
  }
  if (tracked.size === 0)
    throw new ConfigurationError('dataSource', 'has no entity that uses MarkdownCleanupMixin')
  const withColumns = new Map([...tracked].filter(([, columns]) => columns.length > 0))
  const saves = new RecordSaves(editor, options)
  dataSource.subscribers.push(new CleanupSubscriber(withColumns, saves))
}

type Column = EntityMetadata['columns'][number]
type TrackedColumns = Map<EntityMetadata, readonly Column[]>

function columnsOf(metadata: EntityMetadata, fields: readonly string[] | null): readonly Column[] {
  const { columns, name } = metadata
  if (fields === null) return columns.filter(isText)
  const paths = columns.map(({ propertyPath }) => propertyPath)
  checkFields(name, fields, paths)
  return columns.filter(({ propertyPath }) => fields.includes(propertyPath))
}

function isText({ type, isArray, isPrimary, isDiscriminator }: Column): boolean {
  const isTextType = type === String || /char|text|clob/.test(String(type))
  return isTextType && !isArray && !isPrimary && !isDiscriminator
}

class CleanupSubscriber implements EntitySubscriberInterface<ObjectLiteral> {
  readonly #tracked: TrackedColumns
  readonly #saves: RecordSaves
  /** The entity of a query runner's next INSERT. Only the SQL shows whether it is an upsert. */
  readonly #inserting = new WeakMap<QueryRunner, EntityMetadata>()

  constructor(tracked: TrackedColumns, saves: RecordSaves) {
    this.#tracked = tracked
    this.#saves = saves
  }

  beforeInsert({ metadata, entity, queryRunner }: InsertEvent<ObjectLiteral>): void {
    const columns = this.#tracked.get(metadata)
    if (!columns || !entity) return
    checkTexts(textsIn(columns, entity))
    this.#inserting.set(queryRunner, metadata)
  }

  beforeQuery({ queryRunner, query }: { queryRunner: QueryRunner; query: string }): void {
    const metadata = this.#inserting.get(queryRunner)
    if (!metadata || !/^\s*INSERT\b/.test(query) || !query.includes(metadata.tableName)) return
    this.#inserting.delete(queryRunner)
    if (HAS_CONFLICT_CLAUSE.test(query)) throw notTracked(`upsert() of ${metadata.name}`, INSTEAD)
  }

  beforeUpdate({ metadata, entity, databaseEntity }: UpdateEvent<ObjectLiteral>): void {
    const columns = this.#tracked.get(metadata)
    if (!columns || !entity) return
    const texts = textsIn(columns, entity)
    const isBulk = !databaseEntity
    if (isBulk && (Object.keys(texts).length > 0 || writesKey(metadata, entity)))
      throw notTracked(`update() of ${metadata.name}`, INSTEAD)
    checkTexts(texts)
  }

  beforeRemove({ metadata, entityId }: RemoveEvent<ObjectLiteral>): void {
    if (this.#tracked.has(metadata) && entityId === undefined)
      throw notTracked(`delete() of ${metadata.name}`, INSTEAD)
  }

  async afterInsert(event: InsertEvent<ObjectLiteral>): Promise<void> {
    const { metadata, entity } = event
    const columns = this.#tracked.get(metadata)
    if (columns && entity) await this.#save(event, entity, textsIn(columns, entity))
  }

  async afterUpdate(event: UpdateEvent<ObjectLiteral>): Promise<void> {
    const { metadata, entity, databaseEntity, updatedColumns } = event
    if (!entity || !databaseEntity) return
    const columns = this.#tracked.get(metadata)?.filter((column) => updatedColumns.includes(column))
    if (columns?.length) await this.#save(event, databaseEntity, textsIn(columns, entity))
  }

  async afterRemove(event: RemoveEvent<ObjectLiteral>): Promise<void> {
    const { metadata, databaseEntity, entityId } = event
    if (!this.#tracked.has(metadata)) return
    await this.#save(event, databaseEntity ?? metadata.ensureEntityIdMap(entityId), null)
  }

  async afterTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    // If a transaction is still active, this was only the end of a savepoint.
    if (!queryRunner.isTransactionActive) await this.#saves.committed(queryRunner)
  }

  async #save(
    { metadata, queryRunner }: Pick<InsertEvent<ObjectLiteral>, 'metadata' | 'queryRunner'>,
    values: ObjectLiteral,
    texts: Texts | null,
  ): Promise<void> {
    const { tablePath, primaryColumns } = metadata
    const parts = primaryColumns.map((column) => column.getEntityValue(values) as unknown)
    const transaction = queryRunner.isTransactionActive
      ? { key: queryRunner, executor: typeormExecutor(queryRunner) }
      : null
    await this.#saves.save(recordKey(tablePath, parts), texts, transaction)
  }
}

function writesKey({ primaryColumns }: EntityMetadata, entity: ObjectLiteral): boolean {
  return primaryColumns.some((column) => column.getEntityValue(entity) !== undefined)
}

/** Throws for a value that the database computes, because the text is not known. */
function textsIn(columns: readonly Column[], entity: ObjectLiteral): Texts {
  const texts: Record<string, string | null> = {}
  for (const column of columns) {
    const value: unknown = column.getEntityValue(entity)
    if (typeof value === 'function')
      throw notTracked(`SQL in ${column.propertyPath}`, 'Write a text with save().')
    if (value !== undefined) texts[column.propertyPath] = fieldText(value)
  }
  return texts
}
