import { toNumber } from '@quillgate/server/database'
import type { Storage, StoredObject } from '@quillgate/storage'
import { knownObjects, type ObjectUse } from '../ledger/known-objects.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import { toMedium } from '../ledger/media-rows.ts'
import type { MediaState, Medium } from '../ledger/medium.ts'
import type { LedgerRows } from '../ledger/schema.ts'

/** In these states the bytes of a file are needed. */
const NEEDED: readonly MediaState[] = ['temporary', 'promoting', 'permanent', 'orphaned']

const PAGE = 500

/** How many files a copy has to have, and how many uploads are under way. */
export async function countNeeded({
  executor,
  tables,
}: LedgerDatabase): Promise<{ files: number; uploading: number }> {
  const count = async (states: readonly MediaState[]): Promise<number> => {
    const { files } = await tables
      .on(executor)
      .selectFrom('media')
      .select((eb) => eb.fn.countAll().as('files'))
      .where('state', 'in', states)
      .executeTakeFirstOrThrow()
    return toNumber(files)
  }
  return { files: await count(NEEDED), uploading: await count(['uploading']) }
}

/**
 * Reads the files whose bytes are needed, page by page. They come in the order of their ids, which
 * never change: a file that goes from state to state on the way is not missed.
 *
 * @param pageSize rows read at once
 */
export async function* neededFiles(
  { executor, tables }: LedgerDatabase,
  pageSize: number = PAGE,
): AsyncGenerator<Medium> {
  let page: LedgerRows['media'][]
  let id = ''
  do {
    // Without the states: by them SQLite would read and sort all files for each page.
    page = await tables
      .on(executor)
      .selectFrom('media')
      .selectAll()
      .where('id', '>', id)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    for (const row of page) if (NEEDED.includes(row.state)) yield toMedium(row)
    id = page.at(-1)?.id ?? ''
  } while (page.length === pageSize)
}

/** Returns the keys at which the bytes of a file may be, in order; none if they are not needed. */
export function keysOf({ state, tempKey, key }: Medium): readonly string[] {
  if (!NEEDED.includes(state)) return []
  if (key === null) return [tempKey]
  return state === 'promoting' ? [tempKey, key] : [key]
}

/**
 * States in which a file has let go of its object in temporary storage, and in permanent storage.
 */
const DONE_WITH: Readonly<Record<ObjectUse['column'], readonly MediaState[]>> = {
  tempKey: ['permanent', 'orphaned', 'deleted'],
  permanentKey: ['deleted'],
}

/**
 * Lists the objects under a folder that were a file's, which has let go of them. Objects that the
 * ledger does not know are not among them.
 */
export async function* outlivedObjects(
  database: LedgerDatabase,
  storage: Pick<Storage, 'list'>,
  folder: string,
): AsyncGenerator<StoredObject> {
  for await (const { object, use } of knownObjects(database, storage, folder)) {
    if (use && DONE_WITH[use.column].includes(use.state)) yield object
  }
}
