import { invalidRequest } from '@quillgate/server/core'
import type { LedgerDatabase } from './ledger-database.ts'
import { toMedium } from './media-rows.ts'
import { isMediaState, MEDIA_STATES, type MediaState, type Medium } from './medium.ts'
import { type Owner, parseOwner } from './principal.ts'

/** Which files are listed. */
export interface MediaListOptions {
  /** Whose. @default everybody's */
  readonly owner?: Owner | undefined
  /** `orphaned` is the trash. @default 'permanent' */
  readonly state?: MediaState | undefined
  /** At most as many, 1 to 500. @default 50 */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** One page of files, the newest upload first. */
export interface MediaList {
  readonly media: readonly Medium[]
  /** For the next page; null: this was the last. */
  readonly nextCursor: string | null
}

const MOST = 500
const CURSOR = /^(\d{1,15})\.([\w-]{1,64})$/

/**
 * Makes the function that lists files, for a trash or a library of the application's own.
 *
 * The function throws QuillgateError `invalid_request` (400) for a state, limit or cursor that
 * cannot be, `invalid_user` (500).
 */
export function createMediaList(
  database: LedgerDatabase,
): (options?: MediaListOptions) => Promise<MediaList> {
  const { executor, tables } = database
  return async ({ owner, state = 'permanent', limit = 50, cursor } = {}) => {
    if (!isMediaState(state))
      throw invalidRequest(`state must be one of: ${MEDIA_STATES.join(', ')}.`)
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST)
      throw invalidRequest(`limit must be 1 to ${MOST}.`)
    const { at, id } = parseCursor(cursor)
    const newest = tables
      .on(executor)
      .selectFrom('media')
      .selectAll()
      .where('state', '=', state)
      .where('createdAt', '<=', at)
      .where((eb) => eb.or([eb('createdAt', '<', at), eb('id', '<', id)]))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
    const rows = await (owner === undefined
      ? newest
      : newest.where('owner', '=', parseOwner(owner).owner)
    ).execute()
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      media: page.map(toMedium),
      nextCursor: rows.length > limit && last ? `${last.createdAt}.${last.id}` : null,
    }
  }
}

/** Without a cursor: a place behind all files. */
function parseCursor(cursor: string | undefined): { at: number; id: string } {
  if (cursor === undefined) return { at: Number.MAX_SAFE_INTEGER, id: '' }
  const [, at, id] = CURSOR.exec(cursor) ?? []
  if (at === undefined || id === undefined)
    throw invalidRequest('cursor must be the nextCursor of the page before.')
  return { at: Number(at), id }
}
