import { invalidRequest, isQuillgateError, type UserId } from '@quillgate/server/core'
import type { JobFilter, JobRow, JobState, Queue } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { SignalName } from '../signals/signals.ts'
import { parseUuid } from '../uuid.ts'
import { readEvent } from './event-json.ts'

/**
 * Which entries. Every member must match. A member that is `undefined` is refused, because it may
 * be a mistake.
 */
export interface OutboxFilter {
  readonly state?: JobState
  /** `receivers`, or `webhook:` and the webhook's name. */
  readonly destination?: string
  readonly userId?: UserId
  readonly eventId?: string
}

/** Which dead events to deliver again: some, by what they have in common, or all there are. */
export type ReplayFilter = Omit<OutboxFilter, 'state'> | { readonly everything: true }

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

type ToUserId = (id: UserId) => string

const MAX_LIMIT = 100
const STATES: readonly JobState[] = ['pending', 'delivered', 'dead']
const MEMBERS = ['destination', 'userId', 'eventId']
const NO_CONDITION = 'A replay needs at least one condition, or { everything: true }.'

/**
 * Returns a page of the outbox.
 *
 * @throws QuillgateError 400 `invalid_request` for options that are wrong or unknown
 */
export async function listEntries(
  queue: Pick<Queue<unknown>, 'list'>,
  toUserId: ToUserId,
  options: OutboxListOptions = {},
): Promise<OutboxPage> {
  const { limit = 50, cursor, ...given } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  const after = cursor ?? '0'
  if (typeof after !== 'string' || !/^\d{1,15}$/.test(after))
    throw invalidRequest('cursor must be the nextCursor of the page before.')
  const filter = parseFilter(given, ['state', ...MEMBERS], toUserId)
  const found = await queue.list(filter, Number(after), limit + 1)
  const rows = found.slice(0, limit)
  return {
    entries: rows.map(toEntry),
    nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
  }
}

/**
 * Checks the filter of a replay.
 *
 * @throws QuillgateError 400 `invalid_request`, also for a filter without any condition, which must
 * not mean everything by accident
 */
export function parseReplayFilter(filter: unknown, toUserId: ToUserId): JobFilter {
  if (typeof filter !== 'object' || filter === null) throw invalidRequest(NO_CONDITION)
  const members = Object.entries(filter)
  const [[name, value] = []] = members
  if (members.length === 1 && name === 'everything' && value === true) return {}
  if (members.length === 0) throw invalidRequest(NO_CONDITION)
  return parseFilter(filter, MEMBERS, toUserId)
}

function parseFilter(filter: object, names: readonly string[], toUserId: ToUserId): JobFilter {
  const found: JobFilter = {}
  const errors = Object.entries(filter).flatMap(([field, value]) => {
    const condition = names.includes(field)
      ? parseMember(field, value, toUserId)
      : `Is not a member. There is ${names.join(', ')}.`
    if (typeof condition === 'string') return { field: field.slice(0, 64), message: condition }
    Object.assign(found, condition)
    return []
  })
  if (errors.length === 0) return found
  throw invalidRequest('Correct the members of the filter that are listed in errors.', errors)
}

/** Returns the condition, or what is wrong with it. */
function parseMember(name: string, value: unknown, toUserId: ToUserId): JobFilter | string {
  if (name === 'userId') {
    try {
      return { jobKey: toUserId(value as UserId) }
    } catch (error) {
      if (isQuillgateError(error)) return error.message
      throw error
    }
  }
  const text = typeof value === 'string' ? value : ''
  if (name === 'destination') {
    return /^[\x20-\x7e]{1,64}$/.test(text)
      ? { lane: text }
      : 'Must be text of 1 to 64 ASCII characters.'
  }
  if (name === 'eventId') {
    const id = parseUuid(text)
    return id === null ? 'Must be a UUID.' : { id }
  }
  const state = STATES.find((each) => each === value)
  return state ? { state } : `Must be one of: ${STATES.join(', ')}.`
}

function toEntry(row: JobRow): OutboxEntry {
  const event = eventOf(row)
  const { state, attempts, lastError } = row
  return {
    eventId: row.id,
    destination: row.lane,
    signal: row.kind as SignalName,
    userId: row.jobKey,
    deviceUid: event === null || event.kind === 'refused' ? null : event.device.uid,
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
