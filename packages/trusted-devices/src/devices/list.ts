import { invalidRequest } from '@quillgate/server/core'
import { parseUuid } from '../uuid.ts'
import type { DeviceFilter, ParsedFilter } from './revocation/filter.ts'
import { findMatchingPage } from './revocation/matching.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DevicePosition, DeviceTable } from './tables/device-table.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** The part of a list to return. */
export interface ListOptions {
  /** 1 to 100. @default 50 */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

/** A part of a user's devices. */
export interface DevicePage {
  /** Newest activity first. */
  readonly devices: TrustedDevice[]
  /** Where the next page begins, or null when this is the last one. */
  readonly nextCursor: string | null
}

const MAX_LIMIT = 100

/** The query of a page. */
export const PAGE_RULES = {
  limit: { type: 'whole', optional: true, min: 1, max: MAX_LIMIT, description: '50 if left out' },
  cursor: { type: 'text', optional: true, description: '`next_cursor` of the page before' },
} as const

/** The part of a list of all users' devices to return. */
export interface ListAllOptions extends ListOptions {
  /** @default everything */
  readonly filter?: DeviceFilter
}

/**
 * Lists a user's devices. @throws QuillgateError 400 `invalid_request` for a limit out of range or
 * a cursor that is not ours
 */
export async function listDevices(
  devices: DeviceTable,
  userId: string,
  options: ListOptions = {},
): Promise<DevicePage> {
  const { limit, after } = parsePosition(options)
  const found = await devices.findPage(userId, { limit: limit + 1, after })
  return toPage(found.slice(0, limit), found.length > limit)
}

/**
 * Lists the devices of all users that a filter means. @throws QuillgateError as {@link listDevices}
 */
export async function listMatching(
  devices: DeviceTable,
  filter: ParsedFilter,
  options: ListOptions = {},
): Promise<DevicePage> {
  const { limit, after } = parsePosition(options)
  const { records, last } = await findMatchingPage(devices, filter, { limit: limit + 1, after })
  if (records.length > limit || last === null)
    return toPage(records.slice(0, limit), records.length > limit)
  return { devices: records.map(({ device }) => device), nextCursor: toCursor(last) }
}

function parsePosition({ limit = 50, cursor = null }: ListOptions): DevicePosition {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  }
  return { limit, after: cursor === null ? null : parseCursor(cursor) }
}

function toPage(records: readonly DeviceRecord[], hasMore: boolean): DevicePage {
  const devices = records.map(({ device }) => device)
  const last = devices.at(-1)
  const position = last && { lastSeenAt: last.lastSeenAt.getTime(), uid: last.uid }
  return { devices, nextCursor: position && hasMore ? toCursor(position) : null }
}

function toCursor({ lastSeenAt, uid }: NonNullable<DevicePosition['after']>): string {
  return Buffer.from(`${lastSeenAt}.${uid}`).toString('base64url')
}

function parseCursor(cursor: string): NonNullable<DevicePosition['after']> {
  const text = Buffer.from(String(cursor).slice(0, 100), 'base64url').toString()
  const [, time, id] = /^(\d{1,15})\.(.{36})$/.exec(text) ?? []
  const uid = parseUuid(id ?? '')
  if (time === undefined || uid === null) {
    throw invalidRequest('cursor must be the next_cursor of the page before.')
  }
  return { lastSeenAt: Number(time), uid }
}
