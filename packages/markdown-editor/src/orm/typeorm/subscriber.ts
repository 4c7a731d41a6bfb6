import type {
  EntityMetadata,
  EntitySubscriberInterface,
  InsertEvent,
  ObjectLiteral,
  QueryRunner,
  RemoveEvent,
  UpdateEvent,
} from 'typeorm'
import { notTracked, type OpenTransaction, type RecordSaves } from '../record-saves.ts'
import { recordKeyOf, type TrackedEntity, textsIn } from './entities.ts'
import { typeormExecutor } from './executor.ts'

type Event = InsertEvent<ObjectLiteral> | UpdateEvent<ObjectLiteral> | RemoveEvent<ObjectLiteral>

const INSTEAD =
  'Load the records and call save() or remove(), or use callListeners(false) and call references.set for each record.'
const HAS_CONFLICT_CLAUSE = /\bON CONFLICT\b|\bON DUPLICATE KEY\b|\bINSERT\s+IGNORE\b/

type Subscriber = EntitySubscriberInterface<ObjectLiteral>
type Tracked = ReadonlyMap<EntityMetadata, TrackedEntity>

/**
 * Creates the subscriber that writes the references of saved entities. It refuses writes that do
 * not tell which records they write: `update()` of tracked columns, `delete()`, and `upsert()`.
 */
export function createCleanupSubscriber(tracked: Tracked, saves: RecordSaves): Subscriber {
  return { ...checksBeforeWrites(tracked, saves), ...savesAfterWrites(tracked, saves) }
}

function checksBeforeWrites(tracked: Tracked, saves: RecordSaves): Subscriber {
  /** Entities of which an INSERT is expected; an upsert is recognized by its statement only. */
  const inserting = new WeakMap<QueryRunner, EntityMetadata>()
  return {
    beforeInsert(event) {
      const entity = tracked.get(event.metadata)
      if (!entity || !event.entity) return
      saves.check(textsIn(entity.columns, event.entity))
      inserting.set(event.queryRunner, event.metadata)
    },

    beforeQuery({ queryRunner, query }) {
      const metadata = inserting.get(queryRunner)
      if (!metadata || !/^\s*INSERT\b/.test(query) || !query.includes(metadata.tableName)) return
      inserting.delete(queryRunner)
      if (HAS_CONFLICT_CLAUSE.test(query)) throw notTracked(`upsert() of ${metadata.name}`, INSTEAD)
    },

    beforeUpdate(event) {
      const entity = tracked.get(event.metadata)
      if (!entity || !event.entity) return
      const texts = textsIn(entity.columns, event.entity)
      const isBulk = !event.databaseEntity
      if (isBulk && (Object.keys(texts).length > 0 || writesKey(event.metadata, event.entity)))
        throw notTracked(`update() of ${event.metadata.name}`, INSTEAD)
      saves.check(texts)
    },

    beforeRemove(event) {
      if (tracked.get(event.metadata) && event.entityId === undefined)
        throw notTracked(`delete() of ${event.metadata.name}`, INSTEAD)
    },
  }
}

function savesAfterWrites(tracked: Tracked, saves: RecordSaves): Subscriber {
  return {
    async afterInsert(event) {
      const entity = tracked.get(event.metadata)
      if (!entity || !event.entity) return
      const key = recordKeyOf(event.metadata, event.entity)
      await saves.save(key, textsIn(entity.columns, event.entity), transactionOf(event))
    },

    async afterUpdate(event) {
      const entity = tracked.get(event.metadata)
      if (!entity || !event.entity || !event.databaseEntity) return
      const columns = entity.columns.filter((column) => event.updatedColumns.includes(column))
      if (columns.length === 0) return
      const key = recordKeyOf(event.metadata, event.databaseEntity)
      await saves.save(key, textsIn(columns, event.entity), transactionOf(event))
    },

    async afterRemove(event) {
      const { metadata, databaseEntity, entityId } = event
      if (!tracked.get(event.metadata)) return
      const id = databaseEntity ?? metadata.ensureEntityIdMap(entityId)
      await saves.save(recordKeyOf(metadata, id), null, transactionOf(event))
    },

    async afterTransactionCommit({ queryRunner }) {
      // The end of a nested transaction only releases its savepoint.
      if (!queryRunner.isTransactionActive) await saves.committed(queryRunner)
    },
  }
}

function transactionOf({ queryRunner }: Event): OpenTransaction | null {
  return queryRunner.isTransactionActive
    ? { key: queryRunner, executor: typeormExecutor(queryRunner) }
    : null
}

function writesKey({ primaryColumns }: EntityMetadata, entity: ObjectLiteral): boolean {
  return primaryColumns.some((column) => column.getEntityValue(entity) !== undefined)
}
