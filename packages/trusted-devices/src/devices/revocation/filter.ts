import {
  type FieldError,
  invalidRequest,
  isQuillgateError,
  type UserId,
} from '@quillgate/server/core'
import { type NetworkMatch, parseNetwork } from '@quillgate/server/http'
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { toCountry } from '../../network/countries.ts'
import { parseUuid } from '../../uuid.ts'
import type { DeviceRows } from '../tables/schema.ts'

/**
 * Which devices of all users. Every member must hold; each one that is there counts, so `undefined`
 * is refused. Times are exact to a minute.
 */
export interface DeviceConditions {
  /** One user, or a list of at most 500. */
  readonly userId?: UserId | readonly UserId[]
  /** The device with this UUID. */
  readonly uid?: string
  /** As `locate` returns it, for example `DE`; null: unknown. */
  readonly country?: string | null
  /**
   * A part of the browser's name, in upper or lower case: `firefox`. Up to 64 characters of ASCII.
   */
  readonly browser?: string
  /** A part of the operating system's name, in the same way. */
  readonly os?: string
  /**
   * An address, or a network such as `203.0.113.0/24`: of the latest login or of the latest use.
   * Addresses that were shortened are found by a network around them only.
   */
  readonly address?: string
  /** Registered before this. */
  readonly createdBefore?: Date
  /** Registered at this time or later. */
  readonly createdAfter?: Date
  /** Last seen before this. */
  readonly seenBefore?: Date
  /** Last seen at this time or later. */
  readonly seenAfter?: Date
}

/** Some devices by their conditions, of which there must be one, or all there are. */
export type DeviceFilter = DeviceConditions | { readonly everything: true }

/** A filter as statements use it. */
export interface ParsedFilter {
  /** Holds for every device that is meant, and with `network` for some others. */
  readonly condition: Expression<SqlBool>
  /** The condition for revoked devices. Null if it needs a column that they do not have. */
  readonly revoked: Expression<SqlBool> | null
  /** A network that must contain one of the two addresses. SQL cannot compare it. */
  readonly network: NetworkMatch | null
}

const MAX_USERS = 500
const ASCII = /^[\x20-\x7e]{1,64}$/ // Engines differ in what else is upper and lower case.

type ToUserId = (id: unknown) => string
type Read = (value: unknown, toUserId: ToUserId) => Expression<SqlBool> | string

/**
 * Conditions on `device` use only columns that revoked devices have as well, except for
 * `NOT_REMEMBERED`.
 */
const eb = expressionBuilder<DeviceRows, 'device'>()

const time =
  (column: 'createdAt' | 'lastSeenAt', operator: '<' | '>='): Read =>
  (value) =>
    value instanceof Date && !Number.isNaN(value.getTime())
      ? eb(column, operator, value.getTime())
      : 'Must be a Date.'

const READERS: { readonly [Name in Exclude<keyof DeviceConditions, 'address'>]: Read } = {
  userId(value, toUserId) {
    const ids = (Array.isArray(value) ? value : [value]) as readonly unknown[]
    if (ids.length > MAX_USERS) return `Must be at most ${MAX_USERS} users.`
    try {
      return ids.length === 0 ? eb.or([]) : eb('userId', 'in', ids.map(toUserId))
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
  browser: (value) => contains('browser', value),
  os: (value) => contains('os', value),
  createdBefore: time('createdAt', '<'),
  createdAfter: time('createdAt', '>='),
  seenBefore: time('lastSeenAt', '<'),
  seenAfter: time('lastSeenAt', '>='),
}

/**
 * Checks a filter and writes its condition. List, preview and revocation all use this one, so they
 * mean the same devices.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member; also for a
 * filter without any, which must not mean everything by accident
 */
export function parseFilter(filter: unknown, toUserId: ToUserId): ParsedFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw invalidRequest(NO_CONDITION)
  const members = Object.entries(filter)
  if (members.length === 1 && members[0]?.[0] === 'everything' && members[0][1] === true) {
    return filterBy(eb.and([]))
  }
  const conditions: Expression<SqlBool>[] = []
  const errors: FieldError[] = []
  let network: NetworkMatch | null = null
  for (const [field, value] of members) {
    const read = field === 'address' ? readAddress : isReader(field) ? READERS[field] : null
    const condition = read === null ? unknownMember(field) : read(value, toUserId)
    if (typeof condition === 'string')
      errors.push({ field: field.slice(0, 64), message: condition })
    else conditions.push(condition)
    if (field === 'address' && typeof condition !== 'string') network = networkOf(String(value))
  }
  if (errors.length > 0)
    throw invalidRequest('Correct the members of the filter that are listed in errors.', errors)
  if (conditions.length === 0) throw invalidRequest(NO_CONDITION)
  const isForgotten = members.some(([field]) => NOT_REMEMBERED.has(field))
  return {
    condition: eb.and(conditions),
    revoked: isForgotten ? null : eb.and(conditions),
    network,
  }
}

/** Returns the filter that has only this condition. */
export function filterBy(condition: Expression<SqlBool>): ParsedFilter {
  return { condition, revoked: condition, network: null }
}

/** Members about columns that revoked devices do not have. */
const NOT_REMEMBERED: ReadonlySet<string> = new Set(['browser', 'os', 'address'])

const NO_CONDITION = 'A filter needs at least one condition, or is { everything: true }.'

function isReader(field: string): field is keyof typeof READERS {
  return Object.hasOwn(READERS, field)
}

function unknownMember(field: string): string {
  if (field === 'everything') return 'Must be true, and alone.'
  return `Is not a member. There is ${[...Object.keys(READERS), 'address'].join(', ')}.`
}

function contains(column: 'browser' | 'os', value: unknown): Expression<SqlBool> | string {
  if (typeof value !== 'string' || !ASCII.test(value))
    return 'Must be text of 1 to 64 ASCII characters.'
  return isLike(eb.fn<string>('lower', [column]), `%${escapeLike(value.toLowerCase())}%`)
}

/** Kysely has no ESCAPE. */
function isLike(text: Expression<unknown>, pattern: string): Expression<SqlBool> {
  return sql`${text} like ${pattern} escape '!'`
}

/** Escapes a text for {@link isLike}. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}

const readAddress: Read = (value) => {
  const network = typeof value === 'string' ? parseNetwork(value.trim()) : null
  if (!network) return 'Must be an IP address, or a network such as 203.0.113.0/24.'
  if (network.single !== null) {
    return eb.or([eb('address', '=', network.single), eb('lastAddress', '=', network.single)])
  }
  const prefix = `${escapeLike(network.prefix)}%`
  return eb.or([isLike(eb.ref('address'), prefix), isLike(eb.ref('lastAddress'), prefix)])
}

function networkOf(text: string): NetworkMatch | null {
  const network = parseNetwork(text.trim())
  return network?.single === null ? network : null
}
