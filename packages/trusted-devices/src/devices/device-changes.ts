import { type FieldError, invalidRequest, type QuillgateError } from '@quillgate/http'
import type { DeviceChanges } from './device-table.ts'

/** How a caller names the members: in code, or on the wire. */
export interface ChangeNames {
  readonly name: string
  readonly canDeleteOthers: string
  readonly canEditOthers: string
}

const MAX_NAME = 255

/**
 * Checks what somebody wants to change on a device. A name is trimmed, may be empty, and has at most 255 characters
 * without control characters; absent and undefined members stay as they are.
 *
 * @param names what the members are called
 * @throws QuillgateError 400 `invalid_request` that names each wrong or unknown member
 */
export function parseDeviceChanges(value: unknown, names: ChangeNames): DeviceChanges {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid([{ field: '', message: 'Send an object with the members to change.' }])
  }
  const errors: FieldError[] = []
  const changes: { -readonly [Key in keyof DeviceChanges]: DeviceChanges[Key] } = {}
  for (const [field, given] of Object.entries(value)) {
    if (given === undefined) continue
    if (field === names.name) {
      const name = parseName(given)
      if (name === null) errors.push({ field, message: `Must be text of at most ${MAX_NAME} printable characters.` })
      else changes.name = name
    } else if (field === names.canDeleteOthers || field === names.canEditOthers) {
      if (typeof given !== 'boolean') errors.push({ field, message: 'Must be true or false.' })
      else changes[field === names.canDeleteOthers ? 'canDeleteOthers' : 'canEditOthers'] = given
    } else {
      errors.push({ field: field.slice(0, 64), message: 'Cannot be changed.' })
    }
  }
  if (errors.length > 0) throw invalid(errors)
  return changes
}

function parseName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 4 * MAX_NAME) return null
  const name = value.trim()
  const isText = name.isWellFormed() && !/\p{Cc}/u.test(name)
  return isText && [...name].length <= MAX_NAME ? name : null
}

function invalid(errors: readonly FieldError[]): QuillgateError {
  const fields = errors.map(({ field }) => field).filter(Boolean)
  const detail = fields.length > 0 ? `Correct these members: ${fields.join(', ').slice(0, 200)}.` : errors[0]?.message
  return invalidRequest(detail ?? 'The request is not valid.', errors)
}
