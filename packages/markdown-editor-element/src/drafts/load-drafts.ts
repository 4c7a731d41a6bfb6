import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'

type Drafts = typeof import('./drafts.ts')

let loaded: Drafts | null = null

/** Loads the module that saves drafts. */
export async function loadDrafts(): Promise<Drafts> {
  loaded ??= await import('./drafts.ts')
  return loaded
}

/**
 * Starts to save drafts of an editor with the attribute `draft` once the page is idle. If the
 * module is already loaded, starts immediately, so that an editor that shows another record misses
 * no input.
 */
export function startDraftsLater(context: EditorContext, adoptUploads: () => void): void {
  if (context.host.hasAttribute('draft'))
    later(({ startDrafts }) => startDrafts(context, adoptUploads))
}

/** If the page has elements that clear drafts, starts to watch them once the page is idle. */
export function watchPageLater(): void {
  if (document.querySelector('[data-md-editor-clear-drafts],meta[name=md-editor-saved]')) {
    later(({ watchPage }) => watchPage())
  }
}

/**
 * Calls a function with the module once it is loaded. If it cannot be loaded, there are no drafts.
 */
function later(run: (drafts: Drafts) => void): void {
  if (loaded) run(loaded)
  else whenIdle(() => void loadDrafts().then(run, () => {}))
}
