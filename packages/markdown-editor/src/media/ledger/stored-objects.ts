import { setImmediate as eventLoop } from 'node:timers/promises'
import { mediaIdOfKey } from '@quillgate/markdown/media-urls'
import type { Storage, StoredObject } from '@quillgate/storage'
import type { LedgerDatabase } from './ledger-database.ts'
import type { MediaState } from './medium.ts'

/** The use of an object: as the temporary or permanent object of a file in some state. */
interface ObjectUse {
  readonly column: 'tempKey' | 'permanentKey'
  readonly state: MediaState
}

type States = Readonly<Record<ObjectUse['column'], readonly MediaState[]>>

/** States in which a file needs its object in temporary storage, and in permanent storage. */
const NEEDED: States = {
  tempKey: ['uploading', 'temporary', 'promoting'],
  permanentKey: ['promoting', 'permanent', 'orphaned', 'deleting'],
}

/** States in which a file has finally released its object. */
const RELEASED: States = {
  tempKey: ['permanent', 'orphaned', 'deleted'],
  permanentKey: ['deleted'],
}

/** Lists the objects under a folder that no row of the ledger needs. */
export async function* strayObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<StoredObject> {
  for await (const { object, use } of objectsIn(database, storage, folder))
    if (!use || !NEEDED[use.column].includes(use.state)) yield object
}

/**
 * Lists the objects under a folder that files have released. Objects that the ledger does not know
 * are not among them.
 */
export async function* releasedObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<StoredObject> {
  for await (const { object, use } of objectsIn(database, storage, folder))
    if (use && RELEASED[use.column].includes(use.state)) yield object
}

interface KnownObject {
  readonly object: StoredObject
  /** Null: the ledger does not know it. */
  readonly use: ObjectUse | null
}

const PAGE = 100

/**
 * Lists objects with their use, in whichever folder they are: `uploadPath` and `tempUploadPath` may
 * have been changed since.
 */
async function* objectsIn(
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
  { db }: LedgerDatabase,
  objects: readonly StoredObject[],
): Promise<KnownObject[]> {
  await eventLoop() // SQLite answers at once: without this, nothing else would run before the last page.
  // Found by the id in the key, which has an index; the whole key is compared here. So is the
  // state: with states in its condition, SQLite would go through all rows of these instead.
  const ids = objects.map(({ key }) => mediaIdOfKey(key))
  const rows = await db
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
