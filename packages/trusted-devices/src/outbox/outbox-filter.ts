import {
  type FieldError,
  invalidRequest,
  isQuillgateError,
  type UserId,
} from '@quillgate/server/core'
import { allOf, part, type SqlFragment } from '@quillgate/server/database'
import { parseUuid } from '../uuid.ts'
import type { OutboxState } from './outbox-table.ts'

/** Which entries. Every member must hold; each one that is there counts, so `undefined` is refused. */
export interface OutboxFilter {
  readonly state?: OutboxState
  /** `receivers`, or `webhook:` and the webhook's name. */
  readonly destination?: string
  readonly userId?: UserId
  readonly eventId?: string
}

/** Which dead events to deliver again: some, by what they have in common, or all there are. */
export type ReplayFilter = Omit<OutboxFilter, 'state'> | { readonly everything: true }

const STATES: readonly unknown[] = ['pending', 'delivered', 'dead'] satisfies OutboxState[]
const ASCII = /^[\x20-\x7e]{1,64}$/

type Read = (value: unknown, toUserId: (id: UserId) => string) => SqlFragment | string

const READERS: { readonly [Name in keyof Required<OutboxFilter>]: Read } = {
  state(value) {
    if (!STATES.includes(value)) return `Must be one of: ${STATES.join(', ')}.`
    return part`state = ${String(value)}`
  },
  destination(value) {
    if (typeof value !== 'string' || !ASCII.test(value))
      return 'Must be text of 1 to 64 ASCII characters.'
    return part`destination = ${value}`
  },
  userId(value, toUserId) {
    try {
      return part`user_id = ${toUserId(value as UserId)}`
    } catch (error) {
      if (isQuillgateError(error)) return error.message
      throw error
    }
  },
  eventId(value) {
    const uuid = typeof value === 'string' ? parseUuid(value) : null
    return uuid === null ? 'Must be a UUID.' : part`event_id = ${uuid}`
  },
}

/**
 * Checks a filter of a list, which may be empty, and writes its condition.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
 */
export function parseOutboxFilter(filter: object, toUserId: (id: UserId) => string): SqlFragment {
  return allOf(conditionsOf(filter, ['state', 'destination', 'userId', 'eventId'], toUserId))
}

/**
 * Checks a filter of a replay, and writes its condition.
 *
 * @throws QuillgateError 400 `invalid_request`, also for a filter without any condition, which must not mean everything by
 * accident
 */
export function parseReplayFilter(filter: unknown, toUserId: (id: UserId) => string): SqlFragment {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw invalidRequest(NO_CONDITION)
  const members = Object.entries(filter)
  const isEverything =
    members.length === 1 && members[0]?.[0] === 'everything' && members[0][1] === true
  const conditions = isEverything
    ? []
    : conditionsOf(filter, ['destination', 'userId', 'eventId'], toUserId)
  if (!isEverything && conditions.length === 0) throw invalidRequest(NO_CONDITION)
  return allOf([part`state = 'dead'`, ...conditions])
}

const NO_CONDITION = 'A replay needs at least one condition, or { everything: true }.'

function conditionsOf(
  filter: object,
  names: readonly (keyof OutboxFilter)[],
  toUserId: (id: UserId) => string,
): SqlFragment[] {
  const conditions: SqlFragment[] = []
  const errors: FieldError[] = []
  for (const [field, value] of Object.entries(filter)) {
    const name = names.find((each) => each === field)
    const condition = name
      ? READERS[name](value, toUserId)
      : `Is not a member. There is ${names.join(', ')}.`
    if (typeof condition === 'string')
      errors.push({ field: field.slice(0, 64), message: condition })
    else conditions.push(condition)
  }
  if (errors.length > 0)
    throw invalidRequest('Correct the members of the filter that are listed in errors.', errors)
  return conditions
}
