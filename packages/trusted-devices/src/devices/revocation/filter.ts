import {
  type FieldError,
  invalidRequest,
  isQuillgateError,
  toUserId,
  type UserId,
} from '@quillgate/server/core'
import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import { toCountry } from '../../network/countries.ts'
import { parseUuid } from '../../uuid.ts'
import type { DeviceRows } from '../tables/schema.ts'

/**
 * Selects devices of all users. A device must meet all conditions. The filter needs at least one
 * condition. A property must not be undefined. `seenBefore` and `seenAfter` are accurate to one
 * minute.
 */
export interface DeviceFilter {
  /** The id of one user, or a list of at most 500 ids. */
  readonly userId?: UserId | readonly UserId[]
  /** The device with this UUID. */
  readonly uid?: string
  /**
   * The country as `locate` returns it, such as `DE`. Null selects devices with an unknown country.
   */
  readonly country?: string | null
  /** Selects devices that were registered before this time. */
  readonly createdBefore?: Date
  /** Selects devices that were registered at this time or later. */
  readonly createdAfter?: Date
  /** Selects devices that were last seen before this time. */
  readonly seenBefore?: Date
  /** Selects devices that were last seen at this time or later. */
  readonly seenAfter?: Date
  /** Matches every device. */
  readonly everything?: true
}

const MAX_USERS = 500

type Read = (value: unknown) => Expression<SqlBool> | string

/** Conditions may use only columns that the table of revoked devices also has. */
const eb = expressionBuilder<DeviceRows, 'device'>()

const time =
  (column: 'createdAt' | 'lastSeenAt', operator: '<' | '>='): Read =>
  (value) =>
    value instanceof Date && !Number.isNaN(value.getTime())
      ? eb(column, operator, value.getTime())
      : 'Must be a Date.'

const READERS: { readonly [Name in keyof DeviceFilter]-?: Read } = {
  userId(value) {
    const ids = (Array.isArray(value) ? value : [value]) as readonly unknown[]
    if (ids.length > MAX_USERS) return `Must contain at most ${MAX_USERS} users.`
    try {
      const users = ids.map((id) => toUserId(id))
      return users.length === 0 ? eb.or([]) : eb('userId', 'in', users)
    } catch (error) {
      if (isQuillgateError(error)) return error.message
      throw error
    }
  },
  uid(value) {
    const uid = typeof value === 'string' ? parseUuid(value) : null
    return uid === null ? 'Must be a UUID.' : eb('uid', '=', uid)
  },
  country(value) {
    if (value === null) return eb('country', 'is', null)
    const country = typeof value === 'string' ? toCountry(value) : null
    return country === null
      ? 'Must be a country as locate returns it, such as "DE", or null.'
      : eb('country', '=', country)
  },
  createdBefore: time('createdAt', '<'),
  createdAfter: time('createdAt', '>='),
  seenBefore: time('lastSeenAt', '<'),
  seenAfter: time('lastSeenAt', '>='),
  everything: (value) => (value === true ? eb.and([]) : 'Must be true.'),
}

/**
 * Checks a filter and converts it to an SQL condition. Lists, dry runs and revocations use this
 * function, so that they select the same devices.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown property. An empty
 * filter is also an error, because it would select all devices by accident.
 */
export function parseFilter(filter: unknown): Expression<SqlBool> {
  const isObject = typeof filter === 'object' && filter !== null && !Array.isArray(filter)
  const properties = isObject ? Object.entries(filter) : []
  if (properties.length === 0)
    throw invalidRequest(
      'A filter needs at least one condition. For all devices, pass { everything: true }.',
    )
  const conditions: Expression<SqlBool>[] = []
  const errors: FieldError[] = []
  for (const [field, value] of properties) {
    const condition = isCondition(field) ? READERS[field](value) : UNKNOWN_CONDITION
    if (typeof condition === 'string')
      errors.push({ field: field.slice(0, 64), message: condition })
    else conditions.push(condition)
  }
  if (errors.length > 0)
    throw invalidRequest('Correct the conditions that are listed in errors.', errors)
  return eb.and(conditions)
}

function isCondition(field: string): field is keyof DeviceFilter {
  return Object.hasOwn(READERS, field)
}

const UNKNOWN_CONDITION = `Is not a condition. Use one of these: ${Object.keys(READERS).join(', ')}.`
