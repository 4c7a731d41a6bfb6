import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'

/** Loads the part that saves drafts. */
export const loadDrafts = (): Promise<typeof import('./drafts.ts')> => import('./drafts.ts')

/** Keeps drafts of an editor that asks for it, once the page is idle. */
export function startDraftsLater(context: EditorContext, adoptUploads: () => void): void {
  if (context.host.hasAttribute('draft'))
    later(({ startDrafts }) => startDrafts(context, adoptUploads))
}

/** Looks, once the page is idle, whether it asks for drafts to be cleared. */
export function watchPageLater(): void {
  if (document.querySelector('[data-md-editor-clear-drafts],meta[name=md-editor-saved]')) {
    later(({ watchPage }) => watchPage())
  }
}

/** Without what cannot be loaded the field is a field without drafts. */
function later(run: (drafts: typeof import('./drafts.ts')) => Promise<void>): void {
  whenIdle(() => void loadDrafts().then(run, () => {}))
}
