import type { SqlExecutor } from '@quillgate/server/database'
import type {
  EntityMetadata,
  EntitySubscriberInterface,
  InsertEvent,
  ObjectLiteral,
  QueryRunner,
  RemoveEvent,
  UpdateEvent,
} from 'typeorm'
import type {
  ReferenceTracking,
  TrackedTransaction,
} from '../../media/references/track-references.ts'
import { createTurns } from '../turns.ts'
import { createBulkDeletes, isSqlite, readRecords, recordsWithTexts } from './bulk.ts'
import { assertSameKey, recordKeyOf, type TrackedEntity, textsIn } from './entities.ts'
import { dataSourceOf } from './executor.ts'
import { createInserts } from './inserts.ts'

/** What the subscriber needs. */
export interface CleanupSubscriberOptions {
  readonly tracking: ReferenceTracking
  readonly tracked: ReadonlyMap<EntityMetadata, TrackedEntity>
  /** Sees the connection of a query runner as plain SQL. */
  executorOf(runner: QueryRunner): SqlExecutor
}

type Event = InsertEvent<ObjectLiteral> | UpdateEvent<ObjectLiteral> | RemoveEvent<ObjectLiteral>

/** TypeORM has no names for nested transactions; the last one begun is always meant. */
const NESTED = 'nested'

/** Tells what TypeORM writes, begins, commits and rolls back. */
export function createCleanupSubscriber(
  options: CleanupSubscriberOptions,
): EntitySubscriberInterface<ObjectLiteral> {
  const { tracking, executorOf } = options
  const bulkDeletes = createBulkDeletes()
  const inserts = createInserts()
  const inTurn = createTurns()
  const transactions = new WeakMap<QueryRunner, TrackedTransaction>()
  const trackedOf = ({ metadata }: Event): TrackedEntity | undefined =>
    options.tracked.get(metadata)

  const savesOf = (runner: QueryRunner): TrackedTransaction => {
    const saves = transactions.get(runner) ?? tracking.begin(executorOf(runner))
    transactions.set(runner, saves)
    return saves
  }

  const writeAll = async (runner: QueryRunner, tracked: TrackedEntity, records: Records) => {
    for await (const record of records) {
      const texts = textsIn(tracked.columns, record)
      if (texts) await savesOf(runner).save(recordKeyOf(tracked.metadata, record), texts)
    }
  }

  const removeAll = async (
    runner: QueryRunner,
    { metadata }: TrackedEntity,
    ids: readonly ObjectLiteral[],
  ) => {
    for (const id of ids) await savesOf(runner).remove(recordKeyOf(metadata, id))
  }

  return {
    beforeInsert(event) {
      const tracked = trackedOf(event)
      if (tracked && event.entity) inserts.expect(event.queryRunner, tracked, event.entity)
    },

    async afterInsert(event) {
      const tracked = trackedOf(event)
      const { queryRunner, entity } = event
      if (!tracked || !entity) return
      await inTurn(queryRunner, () =>
        inTransaction(queryRunner, tracked, async () => {
          const { records, gone } = await inserts.written(queryRunner, tracked, entity)
          await removeAll(queryRunner, tracked, gone)
          await writeAll(queryRunner, tracked, records)
        }),
      )
    },

    beforeUpdate(event) {
      const tracked = trackedOf(event)
      if (!tracked || !event.entity) return
      // Looked at before it is done, for an expression makes this throw.
      textsIn(tracked.columns, event.entity)
      if (!event.databaseEntity) assertSameKey(tracked.metadata, event.entity)
    },

    async afterUpdate(event) {
      const tracked = trackedOf(event)
      const { queryRunner, entity, databaseEntity, updatedColumns } = event
      if (!tracked || !entity) return
      const columns = tracked.columns.filter(
        (column) => !databaseEntity || updatedColumns.includes(column),
      )
      if (databaseEntity ? columns.length === 0 : !textsIn(columns, entity)) return
      const written = { ...tracked, columns }
      await inTurn(queryRunner, () =>
        inTransaction(queryRunner, tracked, async () => {
          // A listener may have changed the entity since, or a trigger the record.
          const records = databaseEntity
            ? await readRecords(queryRunner, written, [tracked.metadata.ensureEntityIdMap(entity)])
            : recordsWithTexts(queryRunner, written, entity)
          await writeAll(queryRunner, written, records)
        }),
      )
    },

    beforeRemove(event) {
      const tracked = trackedOf(event)
      if (tracked && event.entityId === undefined) bulkDeletes.expect(event.queryRunner, tracked)
    },

    beforeQuery: (event) => bulkDeletes.beforeQuery(event) ?? inserts.beforeQuery(event),

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
          await removeAll(queryRunner, tracked, gone)
        }),
      )
    },

    afterTransactionStart({ queryRunner }) {
      if (transactions.has(queryRunner)) savesOf(queryRunner).savepoint(NESTED)
      else savesOf(queryRunner)
    },

    beforeTransactionCommit({ queryRunner }) {
      transactions.get(queryRunner)?.assertComplete()
    },

    async afterTransactionCommit({ queryRunner }) {
      const saves = transactions.get(queryRunner)
      if (queryRunner.isTransactionActive) return saves?.releaseSavepoint(NESTED)
      transactions.delete(queryRunner)
      await saves?.committed()
    },

    async afterTransactionRollback({ queryRunner }) {
      const saves = transactions.get(queryRunner)
      if (queryRunner.isTransactionActive) {
        saves?.rollbackToSavepoint(NESTED)
        return saves?.releaseSavepoint(NESTED)
      }
      transactions.delete(queryRunner)
      await saves?.rolledBack()
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
      await runner.commitTransaction()
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction()
      throw error
    }
  }
}

type Records = Iterable<ObjectLiteral> | AsyncIterable<ObjectLiteral>

function lockStatement(runner: QueryRunner, { tablePath, primaryColumns }: EntityMetadata): string {
  const { driver } = dataSourceOf(runner)
  const key = driver.escape(primaryColumns[0]?.databaseName ?? 'rowid')
  return `UPDATE ${driver.escape(tablePath)} SET ${key} = ${key} WHERE 1 = 0`
}
