import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'

type Drafts = typeof import('./drafts.ts')

let loaded: Drafts | null = null

/** Loads the part that saves drafts. */
export async function loadDrafts(): Promise<Drafts> {
  loaded ??= await import('./drafts.ts')
  return loaded
}

/**
 * Saves drafts of an editor with the attribute `draft`: once the page is idle, or at once if the
 * part is loaded, so that an editor that shows the next record loses no keys.
 */
export function startDraftsLater(context: EditorContext, adoptUploads: () => void): void {
  if (context.host.hasAttribute('draft'))
    later(({ startDrafts }) => startDrafts(context, adoptUploads))
}

/** Clears drafts where the page asks for it, once the page is idle. */
export function watchPageLater(): void {
  if (document.querySelector('[data-md-editor-clear-drafts],meta[name=md-editor-saved]')) {
    later(({ watchPage }) => watchPage())
  }
}

/** If the part cannot be loaded, there are no drafts. */
function later(run: (drafts: Drafts) => void): void {
  if (loaded) run(loaded)
  else whenIdle(() => void loadDrafts().then(run, () => {}))
}
