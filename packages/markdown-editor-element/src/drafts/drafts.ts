import type { EditorContext } from '../editor/editor-context.ts'
import { DraftBar, Offers } from './bar.ts'
import {
  type Draft,
  type DraftField,
  hasSameFields,
  judge,
  type Opening,
  type Verdict,
  withLineFeeds,
} from './draft.ts'
import { DraftKeeper } from './draft-keeper.ts'
import { FormFields } from './form-fields.ts'
import {
  answerTabs,
  arrival,
  askTabs,
  clearDrafts,
  dropSaved,
  isOrdinary,
  watchPage,
} from './page.ts'
import { DraftSession, type DraftStore } from './session.ts'
import { BrowserStore } from './store.ts'

export { clearDrafts, watchPage }

// In seconds: how long temporary files are kept by default.
const DAY = 86_400

const sessions = new WeakMap<HTMLElement, DraftSession>()

/** Saves drafts of an editor with the attribute `draft`, and offers those that exist. */
export async function startDrafts(context: EditorContext, adoptUploads: () => void): Promise<void> {
  const { host, signal, surface, textarea } = context
  const field = { key: context.attribute('draft'), user: context.attribute('draft-user') }
  if (signal.aborted || field.key === '' || textarea.autocomplete === 'off' || !surface.editable)
    return
  const served = withLineFeeds(textarea.defaultValue)
  const store = new BrowserStore()
  const maxAge = 1000 * (Number(context.attribute('draft-max-age')) || DAY)
  const fields = new FormFields(context)
  const session = new DraftSession(store, field, served, maxAge, Date.now, fields)
  sessions.set(host, session)
  const bar = new DraftBar(context)
  const keeper = new DraftKeeper(context, session, bar, fields)
  const cleared = (): void => {
    void session.stop()
    context.status.set('draft', '')
    bar.hide()
  }
  answerTabs({ field, id: () => session.id, cleared }, signal)
  void watchPage()

  await dropSaved(store)
  await store.sweep(field.user)
  const others = (await store.list(field)).filter(({ id }) => id !== session.id)
  const alive = others.length === 0 ? new Set<string>() : await askTabs(field)
  if (signal.aborted || session.stopped) return
  const opening = describe(context, field, { served, alive, fields: fields.read() })
  const { offers, present } = await openField(store, session, others, opening)
  new Offers({ context, session, store, bar, fields, opening, adoptUploads }).begin(offers, present)
  const isChanged = opening.fields.some(({ value, base }) => value !== base)
  if (opening.shown !== served || isChanged) keeper.schedule()
}

/** Removes the draft of an editor because the application has saved this text. */
export async function clearDraft(host: HTMLElement, text: string): Promise<void> {
  await sessions.get(host)?.settle(text)
}

function describe(
  { surface }: EditorContext,
  field: DraftField,
  rest: Pick<Opening, 'served' | 'alive' | 'fields'>,
): Opening {
  const shown = surface.read().text
  return { ...field, ...rest, shown, arrived: arrival(), ordinary: isOrdinary(), now: Date.now() }
}

interface Opened {
  /** Drafts to offer, the newest first; none that only repeats another. */
  readonly offers: readonly Draft[]
  /** The draft whose text the field shows already. */
  readonly present: Draft | null
}

/** Judges the drafts of a field that was opened, and does what the user need not decide. */
export async function openField(
  store: DraftStore,
  session: DraftSession,
  drafts: readonly Draft[],
  opening: Opening,
): Promise<Opened> {
  const newest = drafts.toSorted((one, other) => other.time - one.time)
  const judged = newest.map((draft) => ({ draft, verdict: judge(draft, opening) }))
  const those = (verdict: Verdict): Draft[] =>
    judged.filter((each) => each.verdict === verdict).map(({ draft }) => draft)
  for (const { id } of those('drop')) await store.remove(id)
  const offers = those('offer').filter(
    (draft, index, list) =>
      list.findIndex((each) => each.text === draft.text && hasSameFields(each, draft)) === index,
  )
  const [present, ...copies] = those('continue')
  if (present === undefined) return { offers, present: null }
  try {
    await session.take(present, opening.shown, present.base)
    for (const { id } of copies) await store.remove(id)
  } catch {
    // They could not be kept under another name, and stay as they are.
  }
  return { offers, present }
}
