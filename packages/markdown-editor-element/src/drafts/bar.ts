import { countText } from '../commands/count-text.ts'
import { editBetween } from '../commands/edit.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import { type Draft, isConflict, isSame, type Opening } from './draft.ts'
import type { FormFields } from './form-fields.ts'
import { answeredForm } from './page.ts'
import type { DraftSession, DraftStore } from './session.ts'

interface BarAction {
  readonly label: string
  readonly run: () => void
}

/** The row in the head of an editor that offers drafts. */
export class DraftBar {
  readonly #context: EditorContext
  readonly #element = createElement('div', { class: 'md-editor-drafts', role: 'group' })
  #shown = false

  constructor(context: EditorContext) {
    this.#context = context
    context.signal.addEventListener('abort', () => this.hide())
  }

  /** Shows a message with buttons and announces it. A focused button hands its focus on. */
  show(message: string, actions: readonly BarAction[], quiet = false): void {
    const bar = this.#element
    const hadFocus = bar.contains(document.activeElement)
    const buttons = actions.map(({ label, run }) => createButton(label, 'md-editor-action', run))
    bar.classList.toggle('md-editor-quiet', quiet)
    bar.setAttribute('aria-label', message)
    bar.replaceChildren(createElement('span', {}, message), ...buttons)
    this.#shown = true
    void this.#place()
    this.#context.notice.say(message)
    if (hadFocus) buttons[0]?.focus()
  }

  hide(): void {
    const hadFocus = this.#element.contains(document.activeElement)
    this.#shown = false
    this.#element.remove()
    if (hadFocus && !this.#context.signal.aborted) this.#context.surface.focus()
  }

  async #place(): Promise<void> {
    const { host } = this.#context
    if (this.#element.isConnected) return
    await loadStyles(host, 'drafts')
    if (this.#shown) host.querySelector(':scope > .md-editor-header')?.append(this.#element)
  }
}

/** A time as it is written in the language of an element; with the day when it is not today. */
export function formatTime(time: number, element: HTMLElement, now: number = Date.now()): string {
  const date = new Date(time)
  const today = date.toDateString() === new Date(now).toDateString()
  const options: Intl.DateTimeFormatOptions = {
    timeStyle: 'short',
    ...(today ? {} : { dateStyle: 'medium' }),
  }
  const language = element.getAttribute('locale') || element.closest<HTMLElement>('[lang]')?.lang
  try {
    return date.toLocaleString(language || undefined, options)
  } catch {
    return date.toLocaleString(undefined, options) // Not a language tag.
  }
}

interface OfferParts {
  readonly context: EditorContext
  readonly session: DraftSession
  readonly store: DraftStore
  readonly bar: DraftBar
  readonly fields: FormFields
  readonly opening: Opening
  readonly adoptUploads: () => void
}

/** Offers drafts one after the other, the newest first. The user decides about each. */
export class Offers {
  readonly #parts: OfferParts
  readonly #words: ReturnType<typeof laterStrings>
  #left: Draft[] = []

  constructor(parts: OfferParts) {
    this.#parts = parts
    this.#words = laterStrings(parts.context.strings)
  }

  /** Begins with `present`, the draft whose text the field already shows. */
  begin(offers: readonly Draft[], present: Draft | null): void {
    this.#left = [...offers]
    if (present !== null && isConflict(present, this.#parts.opening)) this.#tellNewer(present)
    else if (present !== null && present.sent !== null && answeredForm() === null)
      this.#tellSent(present.sent)
    else this.#next()
  }

  #next(): void {
    const { bar } = this.#parts
    const [draft] = this.#left
    if (draft === undefined) bar.hide()
    else this.#show(draft)
  }

  #show(draft: Draft): void {
    const { bar, context } = this.#parts
    const words = this.#words
    const time = formatTime(draft.time, context.host)
    const more = this.#left.length - 1
    const conflicts = this.#conflicts(draft)
    const messages = [
      draft.sent === null
        ? words.draftFound(time, countWords(draft))
        : words.draftSent(formatTime(draft.sent, context.host)),
      conflicts ? words.draftConflict : '',
      more > 0 ? words.draftMore(more) : '',
    ]
    const restore = { label: words.draftRestore, run: () => void this.#restore(draft) }
    const compare = { label: words.draftCompare, run: () => void this.#compare(draft) }
    const discard = { label: words.draftDiscard, run: () => void this.#discard(draft) }
    // With an empty field or the same text there is nothing to compare.
    const { text } = context.surface.read()
    const single = more === 0 && (isSame(text, '') || isSame(text, draft.text))
    const choices = single ? [restore, discard] : [restore, compare, discard]
    bar.show(
      messages.filter((message) => message !== '').join(' '),
      conflicts ? [compare, discard] : choices,
      draft.sent !== null,
    )
  }

  /** True when it would hide something of the field as it is now. */
  #conflicts(draft: Draft): boolean {
    const { context, opening } = this.#parts
    return isConflict(draft, { served: opening.served, shown: context.surface.read().text })
  }

  async #restore(draft: Draft): Promise<void> {
    if (this.#conflicts(draft)) return this.#compare(draft)
    if (this.#write(draft.text)) await this.#taken(draft, draft.base)
  }

  async #compare(draft: Draft): Promise<void> {
    const { context, opening } = this.#parts
    const shown = context.surface.read().text
    const theirs = shown === draft.text ? opening.served : shown
    try {
      const { openMergeDialog } = await loadPart(() => import('./merge.ts'), context.strings)
      const texts = { base: draft.base, mine: draft.text, theirs }
      await openMergeDialog(context, texts, (text) => {
        if (this.#write(text)) void this.#taken(draft, opening.served)
      })
    } catch (error) {
      context.notice.fail(messageOf(error), null)
    }
  }

  async #discard(draft: Draft): Promise<void> {
    const { bar, context, store } = this.#parts
    await store.remove(draft.id)
    const undo = async (): Promise<void> => {
      await store.put(draft).catch(() => {})
      this.#next()
    }
    const dismiss = (): void => {
      this.#left.shift()
      this.#next()
    }
    bar.show(
      this.#words.draftDiscarded,
      [
        { label: context.strings.buttons.undo, run: () => void undo() },
        { label: context.strings.dismiss, run: dismiss },
      ],
      true,
    )
  }

  /** Puts a text into the field, as one step of the history. False when it does not fit. */
  #write(text: string): boolean {
    const { context } = this.#parts
    const edit = editBetween(context.surface.read(), {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    })
    if (edit === null || context.edit(edit, true)) return true
    context.notice.fail(context.strings.noRoom, null)
    return false
  }

  async #taken(draft: Draft, base: string): Promise<void> {
    const { adoptUploads, context, fields, session } = this.#parts
    adoptUploads()
    const left = fields.restore(draft.fields).map(({ value }) => value)
    if (left.length > 0) context.notice.fail(this.#words.draftLeftOut(left.join(', ')))
    if (this.#left[0] === draft) this.#left.shift()
    this.#next()
    await session.take(draft, context.surface.read().text, base).catch(() => {}) // Then the draft itself is still there.
  }

  /** The browser has put back what was sent, as after a step back. */
  #tellSent(sent: number): void {
    const { bar, context } = this.#parts
    const dismiss = { label: context.strings.dismiss, run: () => this.#next() }
    bar.show(this.#words.draftSent(formatTime(sent, context.host)), [dismiss], true)
  }

  /** The browser restored typed text, but the server has a newer text than its base. */
  #tellNewer(present: Draft): void {
    const { bar, context } = this.#parts
    const compare = (): void => {
      const { text } = context.surface.read()
      void this.#compare({ ...present, text, fields: [] })
    }
    const actions = [
      { label: this.#words.draftCompare, run: compare },
      { label: context.strings.dismiss, run: () => this.#next() },
    ]
    bar.show(this.#words.draftNewer, actions)
  }
}

// Counts words as the status line does. Long texts are estimated for speed.
function countWords(draft: Draft): number {
  const text = [draft.text, ...draft.fields.map(({ value }) => value)].join('\n\n')
  if (text.length > 100_000) return text.match(/\S+/g)?.length ?? 0
  const counting = countText(text)
  for (;;) {
    const { done, value } = counting.next()
    if (done) return value.words
  }
}
