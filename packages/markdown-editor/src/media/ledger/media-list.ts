import { checks, field, type Input, invalidRequest, optional, parse } from '@quillgate/server/core'
import { type LedgerDatabase, toMedium } from './ledger-database.ts'
import { MEDIA_STATES, type MediaState, type Medium } from './medium.ts'
import { type Owner, parseOwner } from './principal.ts'

const LIST_OPTIONS = {
  /** The owner of the files. By default, files of all owners are listed. */
  owner: optional(checks.anything<Owner>()),
  /** The state of the files, by default `permanent`. `orphaned` lists the trash. */
  state: field(checks.anything<MediaState>(), 'permanent'),
  /** The maximum number of files in a page, from 1 to 500. The default is 50. */
  limit: field(checks.anything<number>(), 50),
  /** The `nextCursor` of the previous page. */
  cursor: optional(checks.anything<string>()),
}

/** Options of `media.list`. */
export type MediaListOptions = Input<typeof LIST_OPTIONS>

/** A page of files, newest upload first. */
export interface MediaList {
  readonly media: readonly Medium[]
  /** The cursor for the next page. Null if this is the last page. */
  readonly nextCursor: string | null
}

const MAX_LIMIT = 500
const CURSOR = /^(\d{1,15})\.([\w-]{1,64})$/

/** Implements `EditorMedia.list`. */
export async function listMedia(
  { db }: LedgerDatabase,
  options: MediaListOptions = {},
): Promise<MediaList> {
  const { owner, state, limit, cursor } = parse(LIST_OPTIONS, options, 'media.list')
  if (!MEDIA_STATES.includes(state))
    throw invalidRequest(`state must be one of: ${MEDIA_STATES.join(', ')}.`)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  const { at, id } = parseCursor(cursor)
  const newest = db
    .selectFrom('media')
    .selectAll()
    .where('state', '=', state)
    .where('createdAt', '<=', at)
    .where((eb) => eb.or([eb('createdAt', '<', at), eb('id', '<', id)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  const found = owner === undefined ? newest : newest.where('owner', '=', parseOwner(owner).owner)
  const rows = await found.execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    media: page.map(toMedium),
    nextCursor: rows.length > limit && last ? `${last.createdAt}.${last.id}` : null,
  }
}

function parseCursor(cursor: string | undefined): { at: number; id: string } {
  if (cursor === undefined) return { at: Number.MAX_SAFE_INTEGER, id: '' }
  const [, at, id] = CURSOR.exec(cursor) ?? []
  if (at === undefined || id === undefined)
    throw invalidRequest('cursor must be the nextCursor of the previous page.')
  return { at: Number(at), id }
}
