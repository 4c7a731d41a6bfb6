import { whenIdle } from '../dom/idle.ts'
import type { UploadingEditor } from '../uploads/uploads.ts'

type Drafts = typeof import('./drafts.ts')

let loaded: Drafts | null = null

/** Loads the module that saves drafts. */
export async function loadDrafts(): Promise<Drafts> {
  loaded ??= await import('./drafts.ts')
  return loaded
}

/** Starts drafts when idle. If the module is loaded, starts now: the user may be typing. */
export function startDraftsLater(editor: UploadingEditor): void {
  if (editor.host.hasAttribute('draft')) later(({ startDrafts }) => startDrafts(editor))
}

/** If the page has elements that clear drafts, starts to watch them once the page is idle. */
export function watchPageLater(): void {
  if (document.querySelector('[data-md-editor-clear-drafts],meta[name=md-editor-saved]')) {
    later(({ watchPage }) => watchPage())
  }
}

/** Calls a function with the module. If the module cannot be loaded, there are no drafts. */
function later(run: (drafts: Drafts) => void): void {
  if (loaded) run(loaded)
  else whenIdle(() => void loadDrafts().then(run, () => {}))
}
