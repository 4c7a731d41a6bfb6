import { invalidRequest } from '@quillgate/http'
import { parseUuid } from '../uuid.ts'
import type { DevicePosition } from './device-table.ts'
import type { RegistryParts } from './registry-parts.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** Which part of a list to give. */
export interface ListOptions {
  /** 1 to 100. @default 50 */
  readonly limit?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null
}

/** A part of a user's devices. */
export interface DevicePage {
  /** Newest activity first. */
  readonly devices: TrustedDevice[]
  /** Where the next page begins, or null when this is the last one. */
  readonly nextCursor: string | null
}

const MAX_LIMIT = 100

/** How a page is asked for in a query. */
export const PAGE_RULES = {
  limit: { type: 'whole', optional: true, min: 1, max: 100, description: '50 if left out' },
  cursor: { type: 'text', optional: true, description: '`next_cursor` of the page before' },
} as const

/**
 * Lists a user's devices, or those of all users.
 *
 * @param userId null: all users
 * @throws QuillgateError 400 `invalid_request` for a limit out of range or a cursor that is not ours
 */
export async function listDevices(
  { table, db }: RegistryParts,
  userId: string | null,
  { limit = 50, cursor = null }: ListOptions = {},
): Promise<DevicePage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  }
  const after = cursor === null ? null : parseCursor(cursor)
  const found = await table.findPage(db.executor, userId, { limit: limit + 1, after })
  const devices = found.slice(0, limit).map(({ device }) => device)
  const last = devices.at(-1)
  return { devices, nextCursor: last && found.length > limit ? toCursor(last) : null }
}

function toCursor({ lastSeenAt, uid }: TrustedDevice): string {
  return Buffer.from(`${lastSeenAt.getTime()}.${uid}`).toString('base64url')
}

function parseCursor(cursor: string): NonNullable<DevicePosition['after']> {
  const [, time, id] = /^(\d{1,15})\.(.{36})$/.exec(Buffer.from(cursor.slice(0, 100), 'base64url').toString()) ?? []
  const uid = parseUuid(id ?? '')
  if (time === undefined || uid === null) {
    throw invalidRequest('cursor must be the next_cursor of the page before.')
  }
  return { lastSeenAt: Number(time), uid }
}
