import { invalidRequest } from '@quillgate/server/core'
import { expressionBuilder } from 'kysely'
import { parseUuid } from '../uuid.ts'
import { type DeviceFilter, filterBy, type ParsedFilter } from './revocation/filter.ts'
import { type DevicePosition, findMatchingPage } from './revocation/matching.ts'
import type { DeviceTable } from './tables/device-table.ts'
import type { DeviceRows } from './tables/schema.ts'
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
 * Lists the devices of all users that a filter means. @throws QuillgateError 400
 * `invalid_request` for a limit out of range or a cursor that is not ours
 */
export async function listMatching(
  devices: DeviceTable,
  filter: ParsedFilter,
  options: ListOptions = {},
): Promise<DevicePage> {
  const { limit, after } = parsePosition(options)
  const { records, last } = await findMatchingPage(devices, filter, { limit: limit + 1, after })
  const found = records.slice(0, limit).map(({ device }) => device)
  const shown = found.at(-1)
  const isFull = records.length > limit && shown !== undefined
  const next = isFull ? { lastSeenAt: shown.lastSeenAt.getTime(), uid: shown.uid } : last
  return { devices: found, nextCursor: next && toCursor(next) }
}

/** Lists a user's devices. @throws QuillgateError as {@link listMatching} */
export function listDevices(
  devices: DeviceTable,
  userId: string,
  options: ListOptions = {},
): Promise<DevicePage> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  return listMatching(devices, filterBy(eb('userId', '=', userId)), options)
}

function parsePosition({ limit = 50, cursor = null }: ListOptions): DevicePosition {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  }
  return { limit, after: cursor === null ? null : parseCursor(cursor) }
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
