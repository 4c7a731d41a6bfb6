import type { UploadingEditor } from '../uploads/uploads.ts'
import { DraftBar } from './bar.ts'
import { judge, type Opening, withLineFeeds } from './draft.ts'
import { FormFields } from './form-fields.ts'
import { ordinaryArrival, watchPage } from './page.ts'
import { DraftSession, fieldOf } from './session.ts'
import { clearDrafts, listDrafts, onCleared, removeDraft, sweepDrafts } from './store.ts'

export { clearDrafts, watchPage }

// The default lifetime of drafts, in seconds. By default, temporary files have the same lifetime.
const DAY = 86_400

const sessions = new WeakMap<HTMLElement, DraftSession>()

/** Saves drafts of an editor with the attribute `draft`, and offers existing drafts. */
export function startDrafts(context: UploadingEditor): void {
  const { host, signal, surface, textarea } = context
  const field = fieldOf(context)
  if (signal.aborted || field.key === '' || textarea.autocomplete === 'off' || !surface.editable)
    return
  watchPage()
  sweepDrafts(field.user)
  const started = Date.now()
  const served = withLineFeeds(textarea.defaultValue)
  const maxAge = 1000 * (Number(context.attribute('draft-max-age')) || DAY)
  const fields = new FormFields(context)
  const opening: Opening = {
    served,
    shown: surface.read().text,
    fields: fields.read(),
    arrived: ordinaryArrival(),
  }
  const session = new DraftSession(context, field, fields, served, maxAge)
  sessions.set(host, session)
  const bar = new DraftBar({ context, session, fields, served })
  onCleared(field.user, started, () => bar.clear(), signal)
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
