import type { ChangedDevices } from '../devices/changes.ts'
import { parseUuid } from '../uuid.ts'

/** A message to other nodes. It only makes them read again. */
export type RevocationMessage =
  | { readonly devices: readonly string[] }
  | { readonly user: string }
  /** Proves that the channel works, and says nothing else. */
  | { readonly beat: string }

/** Bytes; a payload of PostgreSQL's NOTIFY must be shorter than 8000. */
const MAX_LENGTH = 7900
/** So many uids need 150 × 39 bytes. A user with more is named instead. */
const MAX_DEVICES = 150
const MAX_USER_LENGTH = 255

/** Returns few messages: instead of too many devices, they name the user. */
export function messagesFor({ userId, uids, others }: ChangedDevices): RevocationMessage[] {
  if (uids.length <= MAX_DEVICES) return uids.length > 0 ? [{ devices: uids }] : []
  return [
    { user: userId },
    ...(others.length > 0 ? [{ devices: others.slice(0, MAX_DEVICES) }] : []),
  ]
}

/** Writes a message. */
export function encodeMessage(message: RevocationMessage): string {
  return JSON.stringify({ v: 1, ...message })
}

/** Reads a message. Returns null for any other text. */
export function parseMessage(text: unknown): RevocationMessage | null {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const { v, ...rest } = Object(value) as Record<string, unknown>
  const [[name, content] = [], ...more] = Object.entries(rest)
  if (v !== 1 || more.length > 0) return null
  if (name === 'user') return isShort(content) ? { user: content } : null
  if (name === 'beat') return isShort(content) ? { beat: content } : null
  return name === 'devices' ? parseDevices(content) : null
}

function parseDevices(value: unknown): RevocationMessage | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DEVICES) return null
  const devices = value.map((uid) => (typeof uid === 'string' ? parseUuid(uid) : null))
  return devices.every((uid) => uid !== null) ? { devices } : null
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_USER_LENGTH
}
