import { setImmediate as eventLoop } from 'node:timers/promises'
import { mediaIdOfKey } from '@quillgate/markdown/media-urls'
import type { Storage, StoredObject } from '@quillgate/storage'
import type { LedgerDatabase } from './ledger-database.ts'
import type { MediaState } from './medium.ts'

/** As what a file has an object, or had it, and the state in which the file is. */
export interface ObjectUse {
  readonly column: 'tempKey' | 'permanentKey'
  readonly state: MediaState
}

/** An object, and what the ledger says of it. */
export interface KnownObject {
  readonly object: StoredObject
  /** Null: the ledger does not know it. */
  readonly use: ObjectUse | null
}

const PAGE = 100

/**
 * Lists the objects under a folder with what the ledger says of them, in whichever folder it lies:
 * `uploadPath` and `tempUploadPath` may have been others when they came.
 */
export async function* knownObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<KnownObject> {
  let page: StoredObject[] = []
  for await (const object of storage.list(folder)) {
    page.push(object)
    if (page.length < PAGE) continue
    yield* await withUse(database, page)
    page = []
  }
  if (page.length > 0) yield* await withUse(database, page)
}

async function withUse(
  { executor, tables }: LedgerDatabase,
  objects: readonly StoredObject[],
): Promise<KnownObject[]> {
  await eventLoop() // SQLite answers at once: without this, nothing else would run before the last page.
  // Found by the id in the key, which has an index; the whole key is compared here. So is the
  // state: with states in its condition, SQLite would go through all rows of these instead.
  const ids = objects.map(({ key }) => mediaIdOfKey(key))
  const rows = await tables
    .on(executor)
    .selectFrom('media')
    .select(['state', 'tempKey', 'permanentKey'])
    .where('id', 'in', ids)
    .execute()
  const uses = new Map<string | null, ObjectUse>()
  for (const { state, tempKey, permanentKey } of rows) {
    uses.set(tempKey, { column: 'tempKey', state })
    uses.set(permanentKey, { column: 'permanentKey', state })
  }
  return objects.map((object) => ({ object, use: uses.get(object.key) ?? null }))
}
