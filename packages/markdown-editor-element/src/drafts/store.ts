import { type Draft, type DraftField, readDraft } from './draft.ts'

const PREFIX = 'md-editor:draft:'

// The key for the time at which the drafts of all users were last cleared. With `:` and a user
// added, it is the key for the drafts of that user.
const CLEARED = 'md-editor:drafts-cleared'

/** Returns the drafts of a field, newest first. */
export function listDrafts({ key, user }: DraftField): Draft[] {
  return readAll()
    .filter((draft) => draft.key === key && draft.user === user)
    .toSorted((one, other) => other.time - one.time)
}

/** Saves a draft. Returns false if there is no storage or no room. */
export function putDraft(draft: Draft): boolean {
  try {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

/** Removes a draft by its id. */
export function removeDraft(id: string): void {
  try {
    localStorage.removeItem(PREFIX + id)
  } catch {
    // There is no storage.
  }
}

/** Removes the drafts for which a function returns true. */
export function removeDrafts(isGone: (draft: Draft) => boolean): void {
  for (const draft of readAll()) if (isGone(draft)) removeDraft(draft.id)
}

/**
 * Removes expired drafts. If the user is known (not `''`), also removes the drafts of other users.
 */
export function sweepDrafts(user: string): void {
  const now = Date.now()
  removeDrafts((draft) => draft.expires < now || (user !== '' && draft.user !== user))
}

/** Removes the drafts of a user, or of all users for null. Open editors stop saving drafts. */
export function clearDrafts(user: string | null): void {
  try {
    localStorage.setItem(clearedKey(user), String(Date.now()))
  } catch {
    // Without storage there are no drafts.
  }
  removeDrafts((draft) => user === null || draft.user === user)
}

/**
 * True if the drafts of a user were cleared after a time. Ignores times in the future, because the
 * clock was wrong.
 */
export function wereCleared(user: string, since: number): boolean {
  const now = Date.now()
  try {
    return [user, null].some((each) => {
      const time = Number(localStorage.getItem(clearedKey(each)))
      return time >= since && time <= now
    })
  } catch {
    return false
  }
}

/** Calls a listener when another tab clears drafts. */
export function onCleared(listener: () => void, signal: AbortSignal): void {
  const changed = ({ key }: StorageEvent): void => {
    if (key?.startsWith(CLEARED)) listener()
  }
  window.addEventListener('storage', changed, { signal })
}

function clearedKey(user: string | null): string {
  return user === null ? CLEARED : `${CLEARED}:${user}`
}

/** Reads all drafts. Removes invalid entries that have our prefix. */
function readAll(): Draft[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
    return keys.flatMap((key) => {
      const draft = parseDraft(localStorage.getItem(key) ?? '')
      if (draft !== null && PREFIX + draft.id === key) return draft
      localStorage.removeItem(key)
      return []
    })
  } catch {
    return [] // There is no storage.
  }
}

function parseDraft(json: string): Draft | null {
  try {
    return readDraft(JSON.parse(json))
  } catch {
    return null
  }
}
