/** What was written in a field and may not have reached the server. */
export interface Draft {
  /** Of the editor that wrote it: each has its own, so that two tabs never write over one another. */
  readonly id: string
  /** What is written there, as the attribute `draft` names it. */
  readonly key: string
  /** Whose it is, as the attribute `draft-user` names them; `''` when it does not. */
  readonly user: string
  /** When its text was last changed, in milliseconds since 1970. */
  readonly time: number
  /** When it is removed, by the same clock. */
  readonly expires: number
  readonly text: string
  /** The text of the server that it began from. */
  readonly base: string
  /** When a form was sent with this text; null when it was not. */
  readonly sent: number | null
}

/** A field, and who writes in it. */
export type DraftField = Pick<Draft, 'key' | 'user'>

// More than any server takes; what is longer is not ours.
const MAX_TEXT = 8_000_000
const MAX_NAME = 1000

/**
 * A draft out of a storage, which anybody may have written to; null when it is none.
 *
 * @param now a draft cannot be from later
 */
export function readDraft(value: unknown, now: number): Draft | null {
  if (typeof value !== 'object' || value === null) return null
  const { id, key, user, time, expires, text, base, sent } = value as Readonly<
    Record<string, unknown>
  >
  if (!isText(id, MAX_NAME) || !isText(key, MAX_NAME) || !isText(user, MAX_NAME)) return null
  if (!isText(text, MAX_TEXT) || !isText(base, MAX_TEXT)) return null
  if (!isTime(time) || !isTime(expires)) return null
  if (sent !== null && !isTime(sent)) return null
  return {
    id,
    key,
    user,
    time: Math.min(time, now),
    expires,
    text,
    base,
    sent: sent && Math.min(sent, now),
  }
}

/** A text with the line breaks that a textarea has. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** True when two texts are the same but for line breaks and the white space around them, which servers take away. */
export function isSame(one: string, other: string): boolean {
  return one === other || withLineFeeds(one).trim() === withLineFeeds(other).trim()
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
