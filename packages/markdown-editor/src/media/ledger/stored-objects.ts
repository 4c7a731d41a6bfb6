import { setImmediate as eventLoop } from 'node:timers/promises'
import type { Storage, StoredObject } from '@quillgate/storage'
import type { LedgerDatabase } from './ledger-database.ts'
import type { MediaState } from './medium.ts'

/** For each of the two keys of a file, the states in which the object with this key is needed. */
const NEEDED: Readonly<Record<'tempKey' | 'permanentKey', readonly MediaState[]>> = {
  tempKey: ['uploading', 'temporary', 'promoting'],
  permanentKey: ['promoting', 'permanent', 'orphaned', 'deleting'],
}

const PAGE = 100

/** Yields objects that no file needs. The id in the key of an object identifies its row. */
export async function* strayObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<StoredObject> {
  let page: StoredObject[] = []
  for await (const object of storage.list(folder)) {
    page.push(object)
    if (page.length < PAGE) continue
    yield* await straysAmong(database, page)
    page = []
  }
  if (page.length > 0) yield* await straysAmong(database, page)
}

async function straysAmong(
  { db }: LedgerDatabase,
  objects: readonly StoredObject[],
): Promise<StoredObject[]> {
  await eventLoop() // SQLite is synchronous. This lets other work run between pages.
  // Does not filter by state here. With such a condition, SQLite would not use the index of the
  // ids.
  const ids = objects.map(({ key }) => /([^/-]+)-[^/]*$/.exec(key)?.[1] ?? '')
  const rows = await db
    .selectFrom('media')
    .select(['state', 'tempKey', 'permanentKey'])
    .where('id', 'in', ids)
    .execute()
  const needed = new Set<string | null>()
  for (const { state, tempKey, permanentKey } of rows) {
    if (NEEDED.tempKey.includes(state)) needed.add(tempKey)
    if (NEEDED.permanentKey.includes(state)) needed.add(permanentKey)
  }
  return objects.filter(({ key }) => !needed.has(key))
}
