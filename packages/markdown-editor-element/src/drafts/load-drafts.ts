import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'

/** Loads the part that saves drafts. */
export const loadDrafts = (): Promise<typeof import('./drafts.ts')> => import('./drafts.ts')

/** Saves drafts of an editor with the attribute `draft`, once the page is idle. */
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
function later(run: (drafts: typeof import('./drafts.ts')) => void): void {
  whenIdle(() => void loadDrafts().then(run, () => {}))
}
