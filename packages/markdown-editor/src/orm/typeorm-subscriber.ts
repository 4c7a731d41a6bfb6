import type { SqlExecutor } from '@quillgate/database'
import type {
  EntityMetadata,
  EntitySubscriberInterface,
  InsertEvent,
  ObjectLiteral,
  QueryRunner,
  RemoveEvent,
  UpdateEvent,
} from 'typeorm'
import type { ActorOptions } from '../media/cleanup.ts'
import type { MediaReferences } from '../media/media-references.ts'
import type { RecordTexts } from '../media/record-texts.ts'
import { createBulkDeletes, isSqlite, readRecords, recordsWithTexts } from './typeorm-bulk.ts'
import { recordKeyOf, type TrackedEntity, textsIn } from './typeorm-entities.ts'

/** What the subscriber needs. */
export interface CleanupSubscriberOptions {
  readonly references: Pick<MediaReferences, 'set' | 'settle'>
  readonly tracked: ReadonlyMap<EntityMetadata, TrackedEntity>
  /** Who saves right now. */
  by(): ActorOptions
  /** Sees the connection of a query runner as plain SQL. */
  executorOf(runner: QueryRunner): SqlExecutor
}

type Event = InsertEvent<ObjectLiteral> | UpdateEvent<ObjectLiteral> | RemoveEvent<ObjectLiteral>

/** Tells an editor what TypeORM writes: the references inside the record's transaction, the rest after its commit. */
export function createCleanupSubscriber(options: CleanupSubscriberOptions): EntitySubscriberInterface<ObjectLiteral> {
  const { references, by, executorOf } = options
  const bulkDeletes = createBulkDeletes()
  const inTurn = createTurns()
  const removed = new WeakMap<QueryRunner, Set<string>>()
  const trackedOf = ({ metadata }: Event): TrackedEntity | undefined => options.tracked.get(metadata)

  const write = async (runner: QueryRunner, { metadata }: TrackedEntity, record: ObjectLiteral, texts: RecordTexts) => {
    const change = await references.set(recordKeyOf(metadata, record), texts, executorOf(runner), by())
    const ids = removed.get(runner) ?? new Set()
    for (const id of change.removed) ids.add(id)
    removed.set(runner, ids)
  }

  const writeAll = async (runner: QueryRunner, tracked: TrackedEntity, records: Records) => {
    for await (const record of records) {
      const texts = textsIn(tracked.columns, record)
      if (texts) await write(runner, tracked, record, texts)
    }
  }

  /** A statement outside any transaction is done: the record is read again under a lock, as it is by now. */
  const writeAnew = (runner: QueryRunner, tracked: TrackedEntity, record: ObjectLiteral) =>
    inTransaction(runner, tracked, async () => {
      const id = tracked.metadata.getEntityIdMap(record)
      await writeAll(runner, tracked, id ? await readRecords(runner, tracked, [id]) : [])
    })

  const saved = async (event: InsertEvent<ObjectLiteral> | UpdateEvent<ObjectLiteral>, written: TrackedEntity) => {
    const { queryRunner, entity } = event
    const texts = entity && textsIn(written.columns, entity)
    if (!entity || !texts) return
    if (queryRunner.isTransactionActive) await write(queryRunner, written, entity, texts)
    else await writeAnew(queryRunner, written, entity)
  }

  return {
    async afterInsert(event) {
      const tracked = trackedOf(event)
      if (tracked) await inTurn(event.queryRunner, () => saved(event, tracked))
    },

    beforeUpdate(event) {
      const tracked = trackedOf(event)
      // Looked at before it is done, for an expression makes this throw.
      if (tracked && event.entity) textsIn(tracked.columns, event.entity)
    },

    async afterUpdate(event) {
      const tracked = trackedOf(event)
      const { queryRunner, entity, databaseEntity, updatedColumns } = event
      if (!tracked || !entity) return
      await inTurn(queryRunner, async () => {
        if (databaseEntity) {
          const columns = tracked.columns.filter((column) => updatedColumns.includes(column))
          await saved(event, { ...tracked, columns })
        } else if (textsIn(tracked.columns, entity)) {
          await inTransaction(queryRunner, tracked, () =>
            writeAll(queryRunner, tracked, recordsWithTexts(queryRunner, tracked, entity)),
          )
        }
      })
    },

    beforeRemove(event) {
      const tracked = trackedOf(event)
      if (tracked && event.entityId === undefined) bulkDeletes.expect(event.queryRunner, tracked)
    },

    beforeQuery: (event) => bulkDeletes.beforeQuery(event),

    async afterRemove(event) {
      const tracked = trackedOf(event)
      const { queryRunner, databaseEntity, entityId } = event
      if (!tracked) return
      await inTurn(queryRunner, () =>
        inTransaction(queryRunner, tracked, async () => {
          const gone =
            entityId === undefined
              ? await bulkDeletes.taken(queryRunner)
              : [databaseEntity ?? tracked.metadata.ensureEntityIdMap(entityId)]
          for (const record of gone) await write(queryRunner, tracked, record, [])
        }),
      )
    },

    async afterTransactionCommit({ queryRunner }) {
      const ids = removed.get(queryRunner)
      // The end of a nested transaction is not the commit.
      if (!ids || queryRunner.isTransactionActive) return
      removed.delete(queryRunner)
      await references.settle(ids, by())
    },

    afterTransactionRollback({ queryRunner }) {
      // After a nested rollback some ids may be too many; settling looks at each file anyway.
      if (!queryRunner.isTransactionActive) removed.delete(queryRunner)
    },
  }

  async function inTransaction(
    runner: QueryRunner,
    { metadata }: TrackedEntity,
    work: () => Promise<void>,
  ): Promise<void> {
    if (runner.isTransactionActive) return work()
    await runner.startTransaction()
    try {
      // A transaction of SQLite that reads first may be refused the lock for its writes later.
      if (isSqlite(runner)) await executorOf(runner).execute(lockStatement(runner, metadata))
      await work()
    } catch (error) {
      await runner.rollbackTransaction()
      throw error
    }
    await runner.commitTransaction()
  }
}

type Records = Iterable<ObjectLiteral> | AsyncIterable<ObjectLiteral>

function lockStatement({ dataSource: { driver } }: QueryRunner, { tablePath, primaryColumns }: EntityMetadata): string {
  const key = driver.escape(primaryColumns[0]?.databaseName ?? 'rowid')
  return `UPDATE ${driver.escape(tablePath)} SET ${key} = ${key} WHERE 1 = 0`
}

/** Runs what TypeORM calls at the same time one after the other: a connection does one thing at a time. */
function createTurns(): (runner: QueryRunner, step: () => Promise<void>) => Promise<void> {
  const last = new WeakMap<QueryRunner, Promise<void>>()
  return (runner, step) => {
    const turn = (last.get(runner) ?? Promise.resolve()).then(step)
    last.set(
      runner,
      turn.catch(() => {}),
    )
    return turn
  }
}
