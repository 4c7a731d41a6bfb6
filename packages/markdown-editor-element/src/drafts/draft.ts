/** The value of another field of the form, and the server's value on which it is based. */
export interface DraftValue {
  readonly name: string
  readonly value: string
  readonly base: string
}

/** A text of a field that the browser stores, because the server may not have it yet. */
export interface Draft {
  /** Identifies the editor that wrote the draft, so that two tabs have separate drafts. */
  readonly id: string
  /** The attribute `draft`. */
  readonly key: string
  /** The attribute `draft-user`, or `''`. */
  readonly user: string
  /** When the draft was last changed, in milliseconds since 1970. */
  readonly time: number
  /** When the draft expires, in milliseconds since 1970. */
  readonly expires: number
  readonly text: string
  /** The server's text on which the draft is based. */
  readonly base: string
  /** The fields in the attribute `draft-fields` whose values were changed. */
  readonly fields: readonly DraftValue[]
  /** When a form was sent with this text, in milliseconds since 1970; null if it was not sent. */
  readonly sent: number | null
}

/** The attributes that identify the drafts of a field. */
export type DraftField = Pick<Draft, 'key' | 'user'>

/** Returns a stored draft, or null if it is invalid. Other scripts can write to the storage too. */
export function readDraft(value: unknown): Draft | null {
  const draft = value as Draft | null
  if (typeof draft !== 'object' || draft === null) return null
  const { id, key, user, time, expires, text, base, fields, sent } = draft
  const isText = (each: unknown): boolean => typeof each === 'string'
  const isValid =
    [id, key, user, text, base].every(isText) &&
    [time, expires, sent ?? 0].every(Number.isFinite) &&
    Array.isArray(fields) &&
    fields.every((field) => [field?.name, field?.value, field?.base].every(isText))
  return isValid ? { id, key, user, time, expires, text, base, fields, sent } : null
}

/** Normalizes line breaks as a textarea does. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** Compares texts. Ignores outer white space and kinds of line breaks, which servers change. */
export function isSame(one: string, other: string): boolean {
  return one === other || withLineFeeds(one).trim() === withLineFeeds(other).trim()
}

/** The state of a field when it is opened. */
export interface Opening {
  readonly served: string
  /** The text in the field; browsers restore typed text after a reload. */
  readonly shown: string
  /** The other fields of the form that drafts keep. */
  readonly fields: readonly DraftValue[]
  /**
   * When the browser started to load this page, in milliseconds since 1970. Null if the
   * page is an error page, the response to a form, a reload, or from the history. Such pages may
   * show texts that are not stored.
   */
  readonly arrived: number | null
}

/**
 * The decision about a draft when its field is opened. No decision changes the text.
 *
 * - `drop`: the draft is removed, because it changes nothing or the server has its text
 * - `continue`: the field already shows the draft's text, so the editor continues the draft
 * - `offer`: the user decides
 */
export type Verdict = 'drop' | 'continue' | 'offer'

/** Decides what to do with a draft when its field is opened. */
export function judge(draft: Draft, { served, shown, fields, arrived }: Opening): Verdict {
  const matches = (side: 'value' | 'base'): boolean =>
    draft.fields.every(({ name, value }) => {
      const field = fields.find((each) => each.name === name)
      return field === undefined || isSame(field[side], value)
    })
  if (isSame(draft.text, draft.base) && draft.fields.length === 0) return 'drop'
  const isStored = arrived !== null && draft.time < arrived
  if (isStored && isSame(draft.text, served) && matches('base')) return 'drop'
  const isShown = isSame(draft.text, shown) && matches('value')
  return isShown && !isConflict(draft, served, shown) ? 'continue' : 'offer'
}

/** Returns whether restoring a draft would hide a newer text of the field or of the server. */
export function isConflict({ base, text }: Draft, served: string, shown: string): boolean {
  if (isSame(text, shown)) return !isSame(base, served) && !isSame(text, served)
  return !isSame(base, shown)
}
