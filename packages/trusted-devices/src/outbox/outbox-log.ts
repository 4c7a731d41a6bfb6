import {
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  Problem,
  parse,
} from '@quillgate/server/core'
import type { JobRow, JobState, Queue } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { SignalName } from '../signals/signals.ts'
import { parseUuid } from '../uuid.ts'
import { readEvent } from './event-json.ts'

const REPLAY = { eventId: optional(eventId), everything: optional(checks.boolean) }
const LIST = {
  state: optional(checks.oneOf(['pending', 'delivered', 'dead'])),
  /** The maximum number of entries, from 1 to 100. */
  limit: field(checks.whole(1, 100), 50),
  /** The `nextCursor` of the previous page. */
  cursor: optional(
    checks.orNull(checks.matching(/^\d{1,15}$/, 'must be the nextCursor of the previous page')),
  ),
}

/** Selects a page of the outbox. */
export type OutboxListOptions = Input<typeof LIST>

/** Selects dead events to deliver again: one event by its id, or all dead events. */
export type ReplayFilter = { readonly eventId: string } | { readonly everything: true }

/** One event in the outbox. */
export interface OutboxEntry {
  readonly eventId: string
  readonly signal: SignalName
  readonly userId: string
  /** The uid of the device. Null if the data was deleted after the delivery, or is unreadable. */
  readonly deviceUid: string | null
  readonly reason: string | null
  readonly at: Date
  readonly state: JobState
  /** The number of attempts that were started. */
  readonly attempts: number
  /**
   * The earliest time of the next attempt. If the entry is no longer pending, the time when it was
   * delivered or became dead.
   */
  readonly nextAttemptAt: Date
  readonly lastError: string | null
}

/** A page of the outbox, oldest first. */
export interface OutboxPage {
  readonly entries: OutboxEntry[]
  readonly nextCursor: string | null
}

/** Implements `OutboxOperations.list`. */
export async function listEntries(
  queue: Pick<Queue<unknown>, 'list'>,
  options: OutboxListOptions = {},
): Promise<OutboxPage> {
  const { limit, cursor, state } = parse(LIST, options, 'outbox.list')
  const found = await queue.list(state, Number(cursor ?? 0), limit + 1)
  const rows = found.slice(0, limit)
  return {
    entries: rows.map(toEntry),
    nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
  }
}

/**
 * Returns the id of one event, or undefined for all dead events. An empty filter can be an
 * accident, so it is an error.
 */
export function parseReplayFilter(filter: ReplayFilter): string | undefined {
  const { eventId, everything } = parse(REPLAY, filter, 'outbox.replay')
  if (eventId !== undefined && everything === undefined) return eventId
  if (eventId === undefined && everything === true) return undefined
  throw new ConfigurationError('outbox.replay', 'needs { eventId } or { everything: true }')
}

function eventId(value: unknown): string | Problem {
  const id = typeof value === 'string' ? parseUuid(value) : null
  return id ?? new Problem('must be a UUID', value)
}

function toEntry(row: JobRow): OutboxEntry {
  const event = eventOf(row)
  const { state, attempts, lastError } = row
  return {
    eventId: row.id,
    signal: row.kind as SignalName,
    userId: row.jobKey,
    deviceUid: event?.device.uid ?? null,
    reason: event?.reason ?? null,
    at: new Date(row.createdAt),
    nextAttemptAt: new Date(row.nextAttemptAt),
    ...{ state, attempts, lastError },
  }
}

/**
 * Returns the event of a row. Returns null if the event was delivered or if a newer version wrote
 * the row.
 */
export function eventOf({ payload }: Pick<JobRow, 'payload'>): DeviceEvent | null {
  try {
    return readEvent(payload)
  } catch {
    return null
  }
}
