import { type Draft, readDraft } from './draft.ts'

/** What our keys in `localStorage` begin with. */
export const PREFIX = 'md-editor:draft:'

const VERSION = 1

/** Notes a draft in `localStorage`, at once; false when there is no room or no storage, or it is too large. */
export function writeNote(draft: Draft): boolean {
  if (readDraft(draft, draft.time) === null) return false
  try {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify({ version: VERSION, ...draft }))
    return true
  } catch {
    return false
  }
}

/**
 * Removes the note of a draft.
 *
 * @param upTo a note of a later time is kept
 */
export function forgetNote(id: string, upTo: number = Number.POSITIVE_INFINITY): void {
  try {
    const note = upTo === Number.POSITIVE_INFINITY ? null : readNote(PREFIX + id, Date.now())
    if (note === null || note.time <= upTo) localStorage.removeItem(PREFIX + id)
  } catch {
    // There is no storage.
  }
}

/** All drafts that are noted. What is under our keys and is no draft is removed. */
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
