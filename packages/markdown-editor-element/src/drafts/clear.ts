import { promptlyAnsweredForm } from './navigation.ts'
import { BrowserStore, noteClearing } from './store.ts'
import { tellCleared } from './tabs.ts'

const CLEARS = '[data-md-editor-clear-drafts]'
const SAVED = 'meta[name=md-editor-saved]'

/** Removes the drafts of a user, or of everybody for null, here and in open tabs. */
export async function clearDrafts(user: string | null): Promise<void> {
  const clearing = { user, time: Date.now() }
  // First, because the page may be unloaded before the rest. The next page then completes it.
  noteClearing(clearing)
  tellCleared(user)
  await new BrowserStore().clear(clearing)
}

let watching = false

/** Clears drafts where the user signs out, and drops those that the server has saved. */
export async function watchPage(): Promise<void> {
  if (watching) return
  watching = true
  // At the window, after the page's own listeners, which may prevent it.
  const clear = (event: Event): void => {
    const { target, type } = event
    if (event.defaultPrevented || !(target instanceof Element)) return
    const clears =
      type === 'submit'
        ? target.matches(CLEARS)
        : target.closest(`a${CLEARS}, button${CLEARS}`) !== null
    if (clears) void clearDrafts(null)
  }
  for (const type of ['submit', 'click']) window.addEventListener(type, clear)
  await dropSaved()
}

/** Drops the drafts of the keys that the page names in a `<meta>`: the server has saved them. */
export async function dropSaved(store: BrowserStore = new BrowserStore()): Promise<void> {
  const sent = promptlyAnsweredForm()
  const keys = document.querySelector<HTMLMetaElement>(SAVED)?.content.split(/\s+/) ?? []
  if (sent !== null) for (const key of keys) await store.removeSent(key, sent)
}
