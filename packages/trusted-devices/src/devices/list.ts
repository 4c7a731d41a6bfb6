import { invalidRequest } from '@quillgate/server/core'
import { parseUuid } from '../uuid.ts'
import type { DeviceFilter } from './revocation/filter.ts'
import type { DeviceCondition, DevicePosition, DeviceTable } from './tables/device-table.ts'
import type { TrustedDevice } from './tables/trusted-device.ts'

/** Selects a page of a list of devices. */
export interface ListOptions {
  /** The maximum number of devices, from 1 to 100. @default 50 */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | null | undefined
}

/** A page of devices. */
export interface DevicePage {
  /** Newest activity first. */
  readonly devices: TrustedDevice[]
  /** The cursor of the next page. Null on the last page. */
  readonly nextCursor: string | null
}

const MAX_LIMIT = 100

/** The rules for the query parameters of a page. */
export const PAGE_RULES = {
  limit: { type: 'whole', optional: true, min: 1, max: MAX_LIMIT, description: '50 if left out' },
  cursor: { type: 'text', optional: true, description: '`next_cursor` of the page before' },
} as const

/** Selects a page of the devices of all users. */
export interface ListAllOptions extends ListOptions {
  /** Selects the devices to list. @default `{ everything: true }` */
  readonly filter?: DeviceFilter
}

/** Returns a page of devices. Throws a 400 `invalid_request` for an invalid limit or cursor. */
export async function listDevices(
  devices: DeviceTable,
  which: DeviceCondition,
  { limit = 50, cursor = null }: ListOptions = {},
): Promise<DevicePage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  }
  const after = cursor === null ? null : parseCursor(cursor)
  const records = await devices.findPage(which, limit + 1, after)
  const found = records.slice(0, limit).map(({ device }) => device)
  const last = records.length > limit ? found.at(-1) : undefined
  return { devices: found, nextCursor: last ? toCursor(last) : null }
}

function toCursor({ lastSeenAt, uid }: TrustedDevice): string {
  return Buffer.from(`${lastSeenAt.getTime()}.${uid}`).toString('base64url')
}

function parseCursor(cursor: string): DevicePosition {
  const text = Buffer.from(String(cursor).slice(0, 100), 'base64url').toString()
  const [, time, id] = /^(\d{1,15})\.(.{36})$/.exec(text) ?? []
  const uid = parseUuid(id ?? '')
  if (time === undefined || uid === null) {
    throw invalidRequest('cursor must be the next_cursor of the previous page.')
  }
  return { lastSeenAt: Number(time), uid }
}
