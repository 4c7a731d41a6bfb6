import type { UploadingEditor } from '../uploads/uploads.ts'
import { DraftBar } from './bar.ts'
import { judge, type Opening } from './draft.ts'
import { ordinaryArrival, watchPage } from './page.ts'
import { DraftSession } from './session.ts'
import { clearDrafts, listDrafts, onCleared, removeDraft, sweepDrafts } from './store.ts'

export { clearDrafts, watchPage }

const sessions = new WeakMap<HTMLElement, DraftSession>()

/** Saves drafts of an editor with the attribute `draft`, and offers existing drafts. */
export function startDrafts(context: UploadingEditor): void {
  const { host, signal, surface, textarea } = context
  const isOff = context.attribute('draft') === '' || textarea.autocomplete === 'off'
  if (signal.aborted || isOff || !surface.editable) return
  const session = new DraftSession(context)
  const { field, fields, served, started } = session
  sessions.set(host, session)
  watchPage()
  sweepDrafts(field.user)
  const opening: Opening = {
    served,
    shown: surface.read().text,
    fields: fields.read(),
    arrived: ordinaryArrival(),
  }
  const bar = new DraftBar(context, session)
  onCleared(started, () => bar.clear(), signal)
  for (const draft of listDrafts(field)) {
    const verdict = judge(draft, opening)
    if (verdict === 'drop') removeDraft(draft.id)
    else if (verdict === 'offer') bar.add(draft)
    else session.take(draft, draft.base)
  }
  bar.next()
  session.schedule() // The browser may have restored typed text after a reload.
}

/** Removes the draft of an editor after the application has saved a text. */
export function clearDraft(host: HTMLElement, text: string): void {
  sessions.get(host)?.markSaved(text)
}
