import type { Draft } from './draft.ts'

/** That the drafts of a user, or with null those of everybody, are removed. */
export interface Clearing {
  readonly user: string | null
  readonly time: number
}

// Not under the prefix of drafts.
const KEY = 'md-editor:drafts-cleared'

/** Notes that drafts are to be removed: a page that signs out may be gone before they are. */
export function noteClearing(clearing: Clearing): void {
  try {
    const other = readClearing()
    const user = other === null || other.user === clearing.user ? clearing.user : null
    localStorage.setItem(KEY, JSON.stringify({ ...clearing, user }))
  } catch {
    // There is no storage.
  }
}

/** What is still to be removed; null when nothing is. */
export function readClearing(): Clearing | null {
  try {
    const { user, time } = JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? {}
    return typeof time === 'number' && (typeof user === 'string' || user === null)
      ? { user, time }
      : null
  } catch {
    return null
  }
}

/** It has been done. */
export function finishClearing({ time }: Clearing): void {
  try {
    if ((readClearing()?.time ?? time) <= time) localStorage.removeItem(KEY)
  } catch {
    // There is no storage.
  }
}

/**
 * True for a draft that a sign-out has cleared: one of that user, or anybody's, and not newer than it.
 *
 * @param draft its time as it was stored: one that is still to come tells nothing, for the clock was put back
 */
export function isCleared(draft: Pick<Draft, 'user' | 'time'>, { user, time }: Clearing): boolean {
  return (draft.time <= time || draft.time > Date.now()) && (user === null || user === draft.user)
}
