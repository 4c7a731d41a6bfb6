import { invalidRequest, suggestion } from '@quillgate/server/core'
import { parseProperties } from '@quillgate/server/http'
import type { DeviceChanges } from './tables/device-table.ts'

/**
 * The properties that may be changed. A name is trimmed, may be empty, and has no control
 * characters.
 */
export const CHANGE_RULES = {
  name: { type: 'line', optional: true, max: 255, description: 'Trimmed; may be empty' },
  canDeleteOthers: { type: 'boolean', optional: true },
  canEditOthers: { type: 'boolean', optional: true },
} as const

/**
 * Checks the changes that the application's code gives; absent and undefined members stay as they
 * are. Unlike in the body of a request, an unknown member is an error: it is a mistake in the code.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
 */
export function parseDeviceChanges(value: unknown): DeviceChanges {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('Give an object with the members to change.')
  }
  const given = Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  )
  const known = Object.keys(CHANGE_RULES)
  const unknown = Object.keys(given).filter((field) => !known.includes(field))
  if (unknown.length > 0) {
    const errors = unknown.map((field) => ({
      field,
      message: `Is not a member. ${suggestion(field, known)}`,
    }))
    throw invalidRequest('Correct the members that are listed in errors.', errors)
  }
  const { name, canDeleteOthers, canEditOthers } = parseProperties(given, CHANGE_RULES)
  return {
    ...(name === undefined ? {} : { name }),
    ...(canDeleteOthers === undefined ? {} : { canDeleteOthers }),
    ...(canEditOthers === undefined ? {} : { canEditOthers }),
  }
}
