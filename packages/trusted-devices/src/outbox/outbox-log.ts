import {
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  Problem,
  parse,
  type UserId,
} from '@quillgate/server/core'
import type { JobFilter, JobRow, JobState, Queue } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { SignalName } from '../signals/signals.ts'
import { parseUuid } from '../uuid.ts'
import { readEvent } from './event-json.ts'

const REPLAYED = {
  userId: optional(checks.anything<UserId>()),
  eventId: optional(eventId),
}
const FILTER = {
  ...REPLAYED,
  state: optional(checks.oneOf(['pending', 'delivered', 'dead'])),
}
const LIST = {
  ...FILTER,
  /** 1 to 100. */
  limit: field(checks.whole(1, 100), 50),
  /** `nextCursor` of the page before. */
  cursor: optional(
    checks.orNull(checks.matching(/^\d{1,15}$/, 'must be the nextCursor of the page before')),
  ),
}

/** Selects a page of the outbox. Every condition must match. */
export type OutboxListOptions = Input<typeof LIST>

/** Selects dead events to deliver again: some, by what they have in common, or all there are. */
export type ReplayFilter = Input<typeof REPLAYED> | { readonly everything: true }

/** One event in the outbox. */
export interface OutboxEntry {
  readonly eventId: string
  readonly signal: SignalName
  readonly userId: string
  /** The device. Null after the delivery, which removes the event's data. */
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

/** A page of the outbox, oldest first. */
export interface OutboxPage {
  readonly entries: OutboxEntry[]
  readonly nextCursor: string | null
}

type ToUserId = (id: UserId) => string

/**
 * Returns a page of the outbox.
 *
 * @throws ConfigurationError for options that are wrong or unknown
 */
export async function listEntries(
  queue: Pick<Queue<unknown>, 'list'>,
  toUserId: ToUserId,
  options: OutboxListOptions = {},
): Promise<OutboxPage> {
  refuseUndefined('outbox.list', options)
  const { limit, cursor, ...filter } = parse(LIST, options, 'outbox.list')
  const found = await queue.list(toJobFilter(filter, toUserId), Number(cursor ?? 0), limit + 1)
  const rows = found.slice(0, limit)
  return {
    entries: rows.map(toEntry),
    nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
  }
}

/**
 * Checks the filter of a replay.
 *
 * @throws ConfigurationError, also for a filter without any condition, which must not mean
 * everything by accident
 */
export function parseReplayFilter(filter: unknown, toUserId: ToUserId): JobFilter {
  const members = Object.entries(filter ?? {})
  const [[name, value] = []] = members
  if (members.length === 0) {
    const problem = 'needs at least one condition, or { everything: true }'
    throw new ConfigurationError('outbox.replay', problem)
  }
  if (members.length === 1 && name === 'everything' && value === true) return {}
  refuseUndefined('outbox.replay', filter as object)
  return toJobFilter(parse(REPLAYED, filter, 'outbox.replay'), toUserId)
}

/** Undefined may be a mistake, such as an id that was not found, and must not mean all events. */
function refuseUndefined(call: string, filter: object): void {
  const [name] = Object.entries(filter).find(([, value]) => value === undefined) ?? []
  if (name !== undefined) throw new ConfigurationError(`${call}.${name}`, 'must not be undefined')
}

function toJobFilter(
  { userId, eventId, state }: Input<typeof FILTER>,
  toUserId: ToUserId,
): JobFilter {
  return {
    ...(userId === undefined ? {} : { jobKey: toUserId(userId) }),
    ...(eventId === undefined ? {} : { id: eventId }),
    ...(state === undefined ? {} : { state }),
  }
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

/** Returns the event of a row; null if it was delivered, or if a newer version wrote it. */
export function eventOf({ payload }: Pick<JobRow, 'payload'>): DeviceEvent | null {
  try {
    return readEvent(payload)
  } catch {
    return null
  }
}
