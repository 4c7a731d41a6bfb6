import {
  type FieldError,
  invalidRequest,
  isQuillgateError,
  type UserId,
} from '@quillgate/server/core'
import { allOf, list, part, type SqlFragment } from '@quillgate/server/database'
import { type NetworkMatch, parseNetwork } from '@quillgate/server/http'
import { toCountry } from '../../network/countries.ts'
import { parseUuid } from '../../uuid.ts'

/**
 * Which devices of all users. Every member must hold; each one that is there counts, so `undefined` is refused. Times
 * are as exact as `lastSeenInterval`.
 */
export interface DeviceConditions {
  /** One user, or a list of at most 500. */
  readonly userId?: UserId | readonly UserId[]
  /** The device with this UUID. */
  readonly uid?: string
  /** As `locate` returns it, for example `DE`; null: unknown. */
  readonly country?: string | null
  /** A part of the browser's name, in upper or lower case: `firefox`. Up to 64 characters of ASCII. */
  readonly browser?: string
  /** A part of the operating system's name, in the same way. */
  readonly os?: string
  /**
   * An address, or a network such as `203.0.113.0/24`: of the latest login or of the latest use. Addresses that were
   * shortened are found by a network around them only.
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
  readonly condition: SqlFragment
  /** The condition for revoked devices. Null if it needs a column that they do not have. */
  readonly revoked: SqlFragment | null
  /** A network that must contain one of the two addresses. SQL cannot compare it. */
  readonly network: NetworkMatch | null
}

const MAX_USERS = 500
const ASCII = /^[\x20-\x7e]{1,64}$/ // Engines differ in what else is upper and lower case.

type ToUserId = (id: unknown) => string
type Read = (value: unknown, toUserId: ToUserId) => SqlFragment | string

const time = (column: 'created_at' | 'last_seen_at', before: boolean): Read => {
  const at = { created_at: part`created_at`, last_seen_at: part`last_seen_at` }[column]
  return (value) => {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) return 'Must be a Date.'
    return before ? part`${at} < ${value.getTime()}` : part`${at} >= ${value.getTime()}`
  }
}

const READERS: { readonly [Name in Exclude<keyof DeviceConditions, 'address'>]: Read } = {
  userId(value, toUserId) {
    const ids = (Array.isArray(value) ? value : [value]) as readonly unknown[]
    if (ids.length > MAX_USERS) return `Must be at most ${MAX_USERS} users.`
    try {
      return part`user_id IN (${list(ids.map(toUserId))})`
    } catch (error) {
      if (isQuillgateError(error)) return error.message
      throw error
    }
  },
  uid(value) {
    const uid = typeof value === 'string' ? parseUuid(value) : null
    return uid === null ? 'Must be a UUID.' : part`uid = ${uid}`
  },
  country(value) {
    if (value === null) return part`country IS NULL`
    const country = typeof value === 'string' ? toCountry(value) : null
    return country === null
      ? 'Must be a country as locate returns it, such as "DE", or null.'
      : part`country = ${country}`
  },
  browser: (value) => contains(part`browser`, value),
  os: (value) => contains(part`os`, value),
  createdBefore: time('created_at', true),
  createdAfter: time('created_at', false),
  seenBefore: time('last_seen_at', true),
  seenAfter: time('last_seen_at', false),
}

/**
 * Checks a filter and writes its condition. List, preview and revocation all use this one, so they mean the same
 * devices.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member; also for a filter without any,
 * which must not mean everything by accident
 */
export function parseFilter(filter: unknown, toUserId: ToUserId): ParsedFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw invalidRequest(NO_CONDITION)
  const members = Object.entries(filter)
  if (members.length === 1 && members[0]?.[0] === 'everything' && members[0][1] === true) {
    return { condition: allOf([]), revoked: allOf([]), network: null }
  }
  const conditions: SqlFragment[] = []
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
  return { condition: allOf(conditions), revoked: isForgotten ? null : allOf(conditions), network }
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

function contains(column: SqlFragment, value: unknown): SqlFragment | string {
  if (typeof value !== 'string' || !ASCII.test(value))
    return 'Must be text of 1 to 64 ASCII characters.'
  return part`LOWER(${column}) LIKE ${`%${escapeLike(value.toLowerCase())}%`} ESCAPE '!'`
}

/** For `LIKE … ESCAPE '!'`. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}

const readAddress: Read = (value) => {
  const network = typeof value === 'string' ? parseNetwork(value.trim()) : null
  if (!network) return 'Must be an IP address, or a network such as 203.0.113.0/24.'
  if (network.single !== null) {
    return part`(address = ${network.single} OR last_address = ${network.single})`
  }
  const prefix = `${escapeLike(network.prefix)}%`
  return part`(address LIKE ${prefix} ESCAPE '!' OR last_address LIKE ${prefix} ESCAPE '!')`
}

function networkOf(text: string): NetworkMatch | null {
  const network = parseNetwork(text.trim())
  return network?.single === null ? network : null
}
