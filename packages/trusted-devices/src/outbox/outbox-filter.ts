import {
  type FieldError,
  invalidRequest,
  isQuillgateError,
  type UserId,
} from '@quillgate/server/core'
import type { JobFilter, JobState } from '@quillgate/server/jobs'
import { parseUuid } from '../uuid.ts'

/**
 * Which entries. Every member must hold; each one that is there counts, so `undefined` is refused.
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

const STATES: readonly JobState[] = ['pending', 'delivered', 'dead']
const ASCII = /^[\x20-\x7e]{1,64}$/

type Read = (value: unknown, toUserId: (id: UserId) => string) => JobFilter | string

const READERS: { readonly [Name in keyof Required<OutboxFilter>]: Read } = {
  state(value) {
    const state = STATES.find((each) => each === value)
    return state ? { state } : `Must be one of: ${STATES.join(', ')}.`
  },
  destination(value) {
    if (typeof value !== 'string' || !ASCII.test(value))
      return 'Must be text of 1 to 64 ASCII characters.'
    return { lane: value }
  },
  userId(value, toUserId) {
    try {
      return { jobKey: toUserId(value as UserId) }
    } catch (error) {
      if (isQuillgateError(error)) return error.message
      throw error
    }
  },
  eventId(value) {
    const uuid = typeof value === 'string' ? parseUuid(value) : null
    return uuid === null ? 'Must be a UUID.' : { id: uuid }
  },
}

/**
 * Checks the filter of a list, which may be empty.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
 */
export function parseOutboxFilter(filter: object, toUserId: (id: UserId) => string): JobFilter {
  return toJobFilter(filter, ['state', 'destination', 'userId', 'eventId'], toUserId)
}

/**
 * Checks the filter of a replay.
 *
 * @throws QuillgateError 400 `invalid_request`, also for a filter without any condition, which must
 * not mean everything by accident
 */
export function parseReplayFilter(filter: unknown, toUserId: (id: UserId) => string): JobFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw invalidRequest(NO_CONDITION)
  const members = Object.entries(filter)
  if (members.length === 0) throw invalidRequest(NO_CONDITION)
  const isEverything =
    members.length === 1 && members[0]?.[0] === 'everything' && members[0][1] === true
  return isEverything ? {} : toJobFilter(filter, ['destination', 'userId', 'eventId'], toUserId)
}

const NO_CONDITION = 'A replay needs at least one condition, or { everything: true }.'

function toJobFilter(
  filter: object,
  names: readonly (keyof OutboxFilter)[],
  toUserId: (id: UserId) => string,
): JobFilter {
  const found: JobFilter = {}
  const errors: FieldError[] = []
  for (const [field, value] of Object.entries(filter)) {
    const name = names.find((each) => each === field)
    const condition = name
      ? READERS[name](value, toUserId)
      : `Is not a member. There is ${names.join(', ')}.`
    if (typeof condition === 'string')
      errors.push({ field: field.slice(0, 64), message: condition })
    else Object.assign(found, condition)
  }
  if (errors.length > 0)
    throw invalidRequest('Correct the members of the filter that are listed in errors.', errors)
  return found
}
