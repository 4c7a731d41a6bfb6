import { invalidRequest } from '@quillgate/http'
import { parseMembers } from '../members.ts'
import type { DeviceChanges } from './tables/device-table.ts'

/** What may be changed on a device. A name is trimmed, may be empty, and has no control characters. */
export const CHANGE_RULES = {
  name: { type: 'line', optional: true, max: 255, description: 'Trimmed; may be empty' },
  canDeleteOthers: { type: 'boolean', optional: true },
  canEditOthers: { type: 'boolean', optional: true },
} as const

/**
 * Checks what somebody wants to change on a device; absent and undefined members stay as they are.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
 */
export function parseDeviceChanges(value: unknown): DeviceChanges {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('Give an object with the members to change.')
  }
  const given = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
  const { name, canDeleteOthers, canEditOthers } = parseMembers(given, CHANGE_RULES)
  return {
    ...(name === undefined ? {} : { name }),
    ...(canDeleteOthers === undefined ? {} : { canDeleteOthers }),
    ...(canEditOthers === undefined ? {} : { canEditOthers }),
  }
}
