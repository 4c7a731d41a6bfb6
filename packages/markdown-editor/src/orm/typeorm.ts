import type { DataSource } from 'typeorm'
import { type CleanupEditor, type CleanupOptions, createRecordSaves } from './record-saves.ts'
import { noteFollowed } from './typeorm/cleanup-mixin.ts'
import { findTrackedEntities } from './typeorm/entities.ts'
import { dialectOfDataSource } from './typeorm/executor.ts'
import { createCleanupSubscriber } from './typeorm/subscriber.ts'

export type { Actor } from '../media/ledger/principal.ts'
export { type MarkdownCleanup, MarkdownCleanupMixin } from './typeorm/cleanup-mixin.ts'
export { typeormExecutor } from './typeorm/executor.ts'

/**
 * Tracks all entities that use `MarkdownCleanupMixin`. Call it once at start-up, when the data
 * source is initialized and the editor is ready. Both use the same database.
 *
 * `save`, `insert` and `remove` are tracked. `update` of tracked columns, `delete` and `upsert` are
 * refused, because TypeORM does not tell which records they write. A soft-removed record keeps its
 * media, because it can be recovered. Raw SQL, `clear` and ON DELETE CASCADE are not seen: call
 * `references.set` or `references.remove`.
 *
 * @returns a function that ends the tracking
 * @throws ConfigurationError for a data source that is not initialized or of another kind, for a
 * declared field that is no column, and if no entity uses the mixin
 * @example
 * await Promise.all([dataSource.initialize(), gate.ready()])
 * typeormCleanup(editor, dataSource, { actorOf: () => requests.getStore()?.user })
 */
export function typeormCleanup(
  editor: CleanupEditor,
  dataSource: DataSource,
  options: CleanupOptions = {},
): () => void {
  dialectOfDataSource(dataSource)
  const tracked = findTrackedEntities(dataSource)
  const saves = createRecordSaves(editor, options)
  const subscriber = createCleanupSubscriber(tracked, saves)
  dataSource.subscribers.push(subscriber)
  for (const { target } of tracked.keys()) noteFollowed(target)
  return () => {
    const index = dataSource.subscribers.indexOf(subscriber)
    if (index >= 0) dataSource.subscribers.splice(index, 1)
  }
}
