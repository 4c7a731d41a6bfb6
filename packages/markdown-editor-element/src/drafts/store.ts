import { type Draft, type DraftField, readDraft } from './draft.ts'

const PREFIX = 'md-editor:draft:'

// The key of the time at which the drafts were last cleared.
const CLEARED = 'md-editor:drafts-cleared'

/** Returns the drafts of a field, newest first. */
export function listDrafts({ key, user }: DraftField): Draft[] {
  return readAll()
    .filter((draft) => draft.key === key && draft.user === user)
    .toSorted((one, other) => other.time - one.time)
}

/** Saves a draft. Returns false if there is no storage, or if the storage is full. */
export function putDraft(draft: Draft): boolean {
  return attempt(() => {
    localStorage.setItem(PREFIX + draft.id, JSON.stringify(draft))
    return true
  }, false)
}

/** Removes a draft by its id. */
export function removeDraft(id: string): void {
  attempt(() => localStorage.removeItem(PREFIX + id), undefined)
}

/** Calls a function. If it throws, for example because storage is blocked, returns `fallback`. */
export function attempt<Result>(run: () => Result, fallback: Result): Result {
  try {
    return run()
  } catch {
    return fallback
  }
}

/** Removes the drafts for which a function returns true. */
export function removeDrafts(isGone: (draft: Draft) => boolean): void {
  for (const draft of readAll()) if (isGone(draft)) removeDraft(draft.id)
}

/** Removes expired drafts. If the user is known (not `''`), also removes drafts of other users. */
export function sweepDrafts(user: string): void {
  const now = Date.now()
  removeDrafts((draft) => draft.expires < now || (user !== '' && draft.user !== user))
}

/** Removes all drafts. Open editors stop saving. */
export function clearDrafts(): void {
  attempt(() => localStorage.setItem(CLEARED, String(Date.now())), undefined)
  removeDrafts(() => true)
  // Browsers send this event only to other tabs. The editors of this tab need it, too.
  window.dispatchEvent(new StorageEvent('storage', { key: CLEARED }))
}

/** Returns whether drafts were cleared since a time. Ignores future times of a wrong clock. */
export function wereCleared(since: number): boolean {
  const time = attempt(() => Number(localStorage.getItem(CLEARED)), 0)
  return time >= since && time <= Date.now()
}

/** Calls a listener when this tab or another tab clears the drafts. */
export function onCleared(since: number, listener: () => void, signal: AbortSignal): void {
  const changed = ({ key }: StorageEvent): void => {
    if (key === CLEARED && wereCleared(since)) listener()
  }
  window.addEventListener('storage', changed, { signal })
}

/** Reads all drafts. Removes invalid entries with the prefix of drafts. */
function readAll(): Draft[] {
  const keys = attempt(() => Object.keys(localStorage), [])
  return keys.flatMap((key) => {
    if (!key.startsWith(PREFIX)) return []
    const draft = attempt(() => readDraft(JSON.parse(localStorage.getItem(key) ?? '')), null)
    if (draft !== null && PREFIX + draft.id === key) return draft
    localStorage.removeItem(key)
    return []
  })
}
