import type { DataSource } from 'typeorm'
import {
  type TrackedReferences,
  type TrackingOptions,
  trackReferences,
} from '../media/references/track-references.ts'
import { noteFollowed } from './typeorm/cleanup-mixin.ts'
import { findTrackedEntities } from './typeorm/entities.ts'
import { createTypeormExecutor, dialectOfDataSource } from './typeorm/executor.ts'
import { createCleanupSubscriber } from './typeorm/subscriber.ts'

export type { Actor } from '../media/owner.ts'
export {
  type MarkdownCleanup,
  MarkdownCleanupMixin,
  type RecordClass,
} from './typeorm/cleanup-mixin.ts'
export { typeormRecords } from './typeorm/records.ts'

/** What the adapter needs of an editor. */
export interface CleanupEditor {
  readonly references: TrackedReferences
}

/** Options of {@link typeormCleanup}. */
export type TypeormCleanupOptions = TrackingOptions

/**
 * Lets an editor take care of the media of all entities that use `MarkdownCleanupMixin`, from now on. Call it once at
 * start-up, when the data source is initialized and the editor is ready. Both use the same database.
 *
 * Covered are `save`, `insert`, `upsert`, `update`, `remove` and `delete`, of repositories, managers and query
 * builders. A soft-removed record keeps its media, for it can be recovered. What only the database knows (raw SQL,
 * `clear`, ON DELETE CASCADE) is not seen: media of such records stay until `references.remove` is called.
 *
 * @returns a function that ends it
 * @throws ConfigurationError for a data source that is not initialized or of another kind, for a declared field that is
 * no column, and when no entity uses the mixin
 * @example
 * await Promise.all([dataSource.initialize(), editor.ready()])
 * typeormCleanup(editor, dataSource)
 */
export function typeormCleanup(
  editor: CleanupEditor,
  dataSource: DataSource,
  options: TypeormCleanupOptions = {},
): () => void {
  const dialect = dialectOfDataSource(dataSource)
  const tracked = findTrackedEntities(dataSource)
  const subscriber = createCleanupSubscriber({
    tracking: trackReferences(editor.references, options),
    tracked,
    executorOf: (runner) => createTypeormExecutor(runner, dialect),
  })
  dataSource.subscribers.push(subscriber)
  for (const { target } of tracked.keys()) noteFollowed(target)
  return () => {
    const index = dataSource.subscribers.indexOf(subscriber)
    if (index >= 0) dataSource.subscribers.splice(index, 1)
  }
}
