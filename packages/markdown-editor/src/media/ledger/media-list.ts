import { invalidRequest } from '@quillgate/server/core'
import { list, raw, toNumber } from '@quillgate/server/database'
import { type MediaOwner, parseOwner } from '../owner.ts'
import { type LedgerDatabase, rowsOf } from './ledger-database.ts'
import { toMedium } from './media-rows.ts'
import { isMediaState, MEDIA_STATES, type MediaState, type Medium } from './medium.ts'

/** Which files are listed. */
export interface MediaListOptions {
  /** Whose. @default everybody's */
  readonly owner?: MediaOwner | undefined
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
 * The function throws QuillgateError `invalid_request` (400) for a state, limit or cursor that cannot be,
 * `invalid_user` (500).
 */
export function createMediaList(
  database: LedgerDatabase,
): (options?: MediaListOptions) => Promise<MediaList> {
  const { executor, sql, tables } = database
  const none = raw('')
  return async ({ owner, state = 'permanent', limit = 50, cursor } = {}) => {
    if (!isMediaState(state))
      throw invalidRequest(`state must be one of: ${MEDIA_STATES.join(', ')}.`)
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST)
      throw invalidRequest(`limit must be 1 to ${MOST}.`)
    const [open, whose, close] =
      owner === undefined
        ? [none, none, none]
        : [raw('AND owner IN ('), list([parseOwner(owner).owner]), raw(')')]
    const { at, id } = parseCursor(cursor)
    const rows = await rowsOf(
      executor,
      sql`SELECT * FROM ${tables.media} WHERE state = ${state} ${open}${whose}${close}
        AND created_at <= ${at} AND (created_at < ${at} OR id < ${id})
        ORDER BY created_at DESC, id DESC LIMIT ${raw(String(limit + 1))}`,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const hasMore = rows.length > limit && last !== undefined
    return {
      media: page.map(toMedium),
      nextCursor: hasMore ? `${toNumber(last['created_at'])}.${String(last['id'])}` : null,
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
