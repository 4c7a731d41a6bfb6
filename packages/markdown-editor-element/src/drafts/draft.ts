/** The value of another field of the form, and the server's value on which it is based. */
export interface DraftValue {
  readonly name: string
  readonly value: string
  readonly base: string
}

/** The text of a field that may not have reached the server. */
export interface Draft {
  /** The id of the editor that wrote it, so that two tabs never overwrite each other. */
  readonly id: string
  /** The attribute `draft`. */
  readonly key: string
  /** The attribute `draft-user`, or `''`. */
  readonly user: string
  /** When its text was last changed, in milliseconds since 1970. */
  readonly time: number
  /** When it is removed, in milliseconds since 1970. */
  readonly expires: number
  readonly text: string
  /** The server's text on which it is based. */
  readonly base: string
  /** Other fields of the form that were changed; the attribute `draft-fields`. */
  readonly fields: readonly DraftValue[]
  /** When a form was sent with this text, or null. */
  readonly sent: number | null
}

/** A field and its user. */
export type DraftField = Pick<Draft, 'key' | 'user'>

// Longer texts are not ours, because servers do not accept them.
const MAX_TEXT = 8_000_000
const MAX_NAME = 1000
const MAX_FIELDS = 50

/** Validates a draft from storage, where other scripts write too. Times are at most `now`. */
export function readDraft(value: unknown, now: number): Draft | null {
  if (typeof value !== 'object' || value === null) return null
  const members = value as Readonly<Record<string, unknown>>
  const { id, key, user, time, expires, text, base, sent } = members
  if (!isText(id, MAX_NAME) || !isText(key, MAX_NAME) || !isText(user, MAX_NAME)) return null
  if (!isText(text, MAX_TEXT) || !isText(base, MAX_TEXT)) return null
  if (!isTime(time) || !isTime(expires)) return null
  if (sent !== null && !isTime(sent)) return null
  const fields = readFields(members.fields ?? []) // Drafts of earlier versions have none.
  if (fields === null) return null
  return {
    id,
    key,
    user,
    time: Math.min(time, now),
    expires,
    text,
    base,
    fields,
    sent: sent && Math.min(sent, now),
  }
}

function readFields(values: unknown): DraftValue[] | null {
  if (!Array.isArray(values) || values.length > MAX_FIELDS) return null
  const fields = values.flatMap((each: Partial<DraftValue> | null) => {
    const { name, value, base } = each ?? {}
    if (!isText(name, MAX_NAME) || !isText(value, MAX_TEXT) || !isText(base, MAX_TEXT)) return []
    return { name, value, base }
  })
  return fields.length === values.length ? fields : null
}

/** True if two drafts have the same values of other fields. */
export function hasSameFields(one: Pick<Draft, 'fields'>, other: Pick<Draft, 'fields'>): boolean {
  return JSON.stringify(one.fields) === JSON.stringify(other.fields)
}

/** Normalizes line breaks as a textarea does. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** True if two texts differ only in line breaks and outer white space, which servers change. */
export function isSame(one: string, other: string): boolean {
  return one === other || withLineFeeds(one).trim() === withLineFeeds(other).trim()
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

const PREFIX = 'md-editor:draft:'

const VERSION = 1

/** Writes a draft to `localStorage`. Returns false if it is too large or there is no room. */
export function writeNote(draft: Draft): boolean {
  if (readDraft(draft, draft.time) === null) return false
  try {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify({ version: VERSION, ...draft }))
    return true
  } catch {
    return false
  }
}

/** Removes a draft from `localStorage`, unless it is later than `upTo`. */
export function forgetNote(id: string, upTo: number = Number.POSITIVE_INFINITY): void {
  try {
    const note = upTo === Number.POSITIVE_INFINITY ? null : readNote(PREFIX + id, Date.now())
    if (note === null || note.time <= upTo) localStorage.removeItem(PREFIX + id)
  } catch {
    // There is no storage.
  }
}

/** Reads all drafts of `localStorage`. Invalid entries under our keys are removed. */
export function readNotes(now: number): Draft[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
    return keys.flatMap((key) => {
      const note = readNote(key, now)
      if (note === null) localStorage.removeItem(key)
      return note ?? []
    })
  } catch {
    return []
  }
}

function readNote(key: string, now: number): Draft | null {
  try {
    const { version, ...note } = JSON.parse(localStorage.getItem(key) ?? 'null') ?? {}
    const draft = version === VERSION ? readDraft(note, now) : null
    return draft !== null && PREFIX + draft.id === key ? draft : null
  } catch {
    return null
  }
}

/** A field that was just opened. Times are milliseconds since 1970. */
export interface Opening extends DraftField {
  readonly served: string
  /** The text in the field; browsers restore typed text after a reload. */
  readonly shown: string
  /** The other fields of the form that drafts keep. */
  readonly fields: readonly DraftValue[]
  /** When the browser started to load this page. */
  readonly arrived: number
  /** False for the answer to a form, an error, a reload or a step in the history. */
  readonly ordinary: boolean
  readonly now: number
  /** Drafts that other tabs are writing. */
  readonly alive: ReadonlySet<string>
}

/**
 * The decision about a draft when its field is opened. The text in the field is not changed:
 *
 * - `leave`: it belongs to another field, or another tab is writing it
 * - `drop`: the server has its text, or it is too old
 * - `continue`: the field already shows its text, so the editor continues it
 * - `offer`: the user decides
 */
export type Verdict = 'leave' | 'drop' | 'continue' | 'offer'

/** Decides about a draft; pure. */
export function judge(draft: Draft, opening: Opening): Verdict {
  const { served, shown } = opening
  const matches = (side: 'value' | 'base'): boolean =>
    draft.fields.every(({ name, value }) => {
      const field = opening.fields.find((each) => each.name === name)
      return field === undefined || isSame(field[side], value)
    })
  if (draft.key !== opening.key || draft.user !== opening.user || opening.alive.has(draft.id))
    return 'leave'
  if (draft.expires < opening.now) return 'drop'
  if (isSame(draft.text, draft.base) && draft.fields.length === 0) return 'drop'
  if (isSame(draft.text, served) && matches('base') && isStored(draft, opening)) return 'drop'
  return isSame(draft.text, shown) && matches('value') ? 'continue' : 'offer'
}

/** True if restoring a draft would hide a newer text of the field or of the server. */
export function isConflict(
  { base, text }: Draft,
  { served, shown }: Pick<Opening, 'served' | 'shown'>,
): boolean {
  if (isSame(text, shown)) return !isSame(base, served) && !isSame(text, served)
  return !isSame(base, shown)
}

/** True if the server has stored the text that it shows. A rejected form shows the text too. */
function isStored(draft: Draft, { arrived, ordinary }: Opening): boolean {
  return ordinary && draft.time < arrived
}
