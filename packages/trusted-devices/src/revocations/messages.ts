import { parseUuid } from '../uuid.ts'

// A message is a JSON list of the devices that its receiver must read again.

/** Bytes; a payload of PostgreSQL's NOTIFY must be shorter than 8000. */
const MAX_LENGTH = 7900
/** So many uids need 150 × 39 bytes. */
const MAX_DEVICES = 150

/** Writes messages that name these devices. */
export function encodeMessages(uids: readonly string[]): string[] {
  const messages: string[] = []
  for (let at = 0; at < uids.length; at += MAX_DEVICES)
    messages.push(JSON.stringify(uids.slice(at, at + MAX_DEVICES)))
  return messages
}

/** Returns the devices that a message names. Returns an empty list for any other text. */
export function parseMessage(text: unknown): string[] {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  if (!Array.isArray(value) || value.length > MAX_DEVICES) return []
  const uids = value.map((uid) => (typeof uid === 'string' ? parseUuid(uid) : null))
  return uids.filter((uid) => uid !== null)
}
