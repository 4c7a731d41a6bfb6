import { invalidRequest, type UserId } from '@quillgate/server/core'
import type { JobRow, JobState, Queue } from '@quillgate/server/jobs'
import type { SignalName } from '../signals/signal-names.ts'
import { readEvent } from './event-json.ts'
import { type OutboxFilter, parseOutboxFilter } from './outbox-filter.ts'

/** One event on its way to one destination. */
export interface OutboxEntry {
  readonly eventId: string
  /** `receivers`, or `webhook:` and the webhook's name. */
  readonly destination: string
  readonly signal: SignalName
  readonly userId: string
  /**
   * The device. Null for `login_refused`, and after the delivery, which removes the event's data.
   */
  readonly deviceUid: string | null
  readonly reason: string | null
  /** When it happened. */
  readonly at: Date
  readonly state: JobState
  /** Attempts that were begun. */
  readonly attempts: number
  /** The earliest time of the next attempt. If the entry is not pending: when it ended. */
  readonly nextAttemptAt: Date
  readonly lastError: string | null
}

/** Selects a page of a list. */
export interface OutboxListOptions extends OutboxFilter {
  /** 1 to 100. @default 50 */
  readonly limit?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null
}

/** A page of the outbox, oldest first. */
export interface OutboxPage {
  readonly entries: OutboxEntry[]
  readonly nextCursor: string | null
}

const MAX_LIMIT = 100

/**
 * Returns a page of the outbox.
 *
 * @throws QuillgateError 400 `invalid_request` for options that are wrong or unknown
 */
export async function listEntries(
  queue: Pick<Queue<unknown>, 'list'>,
  toUserId: (id: UserId) => string,
  options: OutboxListOptions = {},
): Promise<OutboxPage> {
  const { limit = 50, cursor = null, ...filter } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  const after = cursor === null ? 0 : parseCursor(cursor)
  const found = await queue.list(parseOutboxFilter(filter, toUserId), after, limit + 1)
  const rows = found.slice(0, limit)
  return {
    entries: rows.map(toEntry),
    nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
  }
}

function parseCursor(cursor: unknown): number {
  if (typeof cursor !== 'string' || !/^\d{1,15}$/.test(cursor))
    throw invalidRequest('cursor must be the nextCursor of the page before.')
  return Number(cursor)
}

function toEntry(row: JobRow): OutboxEntry {
  const event = eventOf(row)
  return {
    eventId: row.id,
    destination: row.lane,
    signal: row.kind as SignalName,
    userId: row.jobKey,
    deviceUid: event === null || event.kind === 'refused' ? null : event.device.uid,
    reason: event?.reason ?? null,
    at: new Date(row.createdAt),
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: new Date(row.nextAttemptAt),
    lastError: row.lastError,
  }
}

/** Returns the event of a row; null if it was delivered, or if a newer version wrote it. */
export function eventOf({ payload }: Pick<JobRow, 'payload'>) {
  try {
    return readEvent(payload)
  } catch {
    return null
  }
}
