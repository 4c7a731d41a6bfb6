import { type Draft, type DraftField, isSame } from './draft.ts'

/** A field that has just been opened. Times are milliseconds since 1970. */
export interface Opening extends DraftField {
  /** The text that the server put into the page. */
  readonly served: string
  /** The text in the field: browsers put back what was typed before a reload. */
  readonly shown: string
  /** When the browser set out for this page. */
  readonly arrived: number
  /** True when it is what the server shows to everybody: no answer to a form, no error, no reload, no step in the history. */
  readonly ordinary: boolean
  readonly now: number
  /** Drafts that other tabs are writing. */
  readonly alive: ReadonlySet<string>
}

/**
 * What becomes of a draft when its field is opened. Nothing of it changes the text in the field:
 *
 * - `leave`: it is not for this field, or another tab is writing it
 * - `drop`: the server has its text, or it is too old
 * - `continue`: the field shows its text already, so the editor goes on with it
 * - `offer`: the user decides
 */
export type Verdict = 'leave' | 'drop' | 'continue' | 'offer'

/** Decides what becomes of a draft; pure. */
export function judge(draft: Draft, opening: Opening): Verdict {
  const { served, shown } = opening
  if (draft.key !== opening.key || draft.user !== opening.user || opening.alive.has(draft.id))
    return 'leave'
  if (draft.expires < opening.now || isSame(draft.text, draft.base)) return 'drop'
  if (isSame(draft.text, served) && isStored(draft, opening)) return 'drop'
  return isSame(draft.text, shown) ? 'continue' : 'offer'
}

/**
 * True when putting a draft in would hide something: the field does not show the text that the draft began from, or shows
 * the draft where the server has a newer text.
 */
export function isConflict(
  { base, text }: Draft,
  { served, shown }: Pick<Opening, 'served' | 'shown'>,
): boolean {
  if (isSame(text, shown)) return !isSame(base, served) && !isSame(text, served)
  return !isSame(base, shown)
}

/**
 * True when a text that the server shows is one that it has stored. A form that it refused shows the text as well; but
 * that is an answer to a form, or a page without an address of its own, which is got again only by a reload or by a step
 * in the history, or (with Turbo) part of a page that is older than the draft.
 */
function isStored(draft: Draft, { arrived, ordinary }: Opening): boolean {
  return ordinary && draft.time < arrived
}
