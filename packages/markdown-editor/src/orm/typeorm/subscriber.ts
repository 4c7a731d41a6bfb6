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

/**
 * Creates the subscriber that writes the references of saved entities. It refuses writes that do not tell which records
 * they write: `update()` of tracked columns, `delete()`, and `upsert()`.
 */
export function createCleanupSubscriber(
  tracked: ReadonlyMap<EntityMetadata, TrackedEntity>,
  saves: RecordSaves,
): EntitySubscriberInterface<ObjectLiteral> {
  /** Entities of which an INSERT is expected; an upsert is recognized by its statement only. */
  const inserting = new WeakMap<QueryRunner, EntityMetadata>()
  const trackedOf = ({ metadata }: Event): TrackedEntity | undefined => tracked.get(metadata)
  const transactionOf = ({ queryRunner }: Event): OpenTransaction | null =>
    queryRunner.isTransactionActive
      ? { key: queryRunner, executor: typeormExecutor(queryRunner) }
      : null

  return {
    beforeInsert(event) {
      const entity = trackedOf(event)
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

    async afterInsert(event) {
      const entity = trackedOf(event)
      if (!entity || !event.entity) return
      const key = recordKeyOf(event.metadata, event.entity)
      await saves.save(key, textsIn(entity.columns, event.entity), transactionOf(event))
    },

    beforeUpdate(event) {
      const entity = trackedOf(event)
      if (!entity || !event.entity) return
      const texts = textsIn(entity.columns, event.entity)
      const isBulk = !event.databaseEntity
      if (isBulk && (Object.keys(texts).length > 0 || writesKey(event.metadata, event.entity)))
        throw notTracked(`update() of ${event.metadata.name}`, INSTEAD)
      saves.check(texts)
    },

    async afterUpdate(event) {
      const entity = trackedOf(event)
      if (!entity || !event.entity || !event.databaseEntity) return
      const columns = entity.columns.filter((column) => event.updatedColumns.includes(column))
      if (columns.length === 0) return
      const key = recordKeyOf(event.metadata, event.databaseEntity)
      await saves.save(key, textsIn(columns, event.entity), transactionOf(event))
    },

    beforeRemove(event) {
      if (trackedOf(event) && event.entityId === undefined)
        throw notTracked(`delete() of ${event.metadata.name}`, INSTEAD)
    },

    async afterRemove(event) {
      const { metadata, databaseEntity, entityId } = event
      if (!trackedOf(event)) return
      const id = databaseEntity ?? metadata.ensureEntityIdMap(entityId)
      await saves.save(recordKeyOf(metadata, id), null, transactionOf(event))
    },

    async afterTransactionCommit({ queryRunner }) {
      // The end of a nested transaction only releases its savepoint.
      if (!queryRunner.isTransactionActive) await saves.committed(queryRunner)
    },
  }
}

function writesKey({ primaryColumns }: EntityMetadata, entity: ObjectLiteral): boolean {
  return primaryColumns.some((column) => column.getEntityValue(entity) !== undefined)
}
