import { editBetween } from '../commands/edit.ts'
import { createButton, createElement, hasFocus } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { NoticeAction } from '../editor/notice.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { UploadingEditor } from '../uploads/uploads.ts'
import { type Draft, isConflict, isSame } from './draft.ts'
import { type DraftSession, formatTime } from './session.ts'
import { putDraft, removeDraft } from './store.ts'

/** The row in the header that offers drafts, one after another. */
export class DraftBar {
  readonly #context: UploadingEditor
  readonly #session: DraftSession
  readonly #element = createElement('div', { class: 'md-editor-drafts', role: 'group' })
  readonly #left: Draft[] = []

  constructor(context: UploadingEditor, session: DraftSession) {
    this.#context = context
    this.#session = session
  }

  add(draft: Draft): void {
    this.#left.push(draft)
  }

  next(): void {
    const [draft] = this.#left
    if (draft === undefined) this.#hide()
    else this.#offer(draft)
  }

  /** Hides the row and closes the merge dialog, because the drafts were cleared. */
  clear(): void {
    this.#left.length = 0
    this.#hide()
    this.#context.host.querySelector<HTMLDialogElement>('.md-editor-dialog-merge')?.close()
  }

  #offer(draft: Draft): void {
    const context = this.#context
    const { strings } = this.#session
    const message = strings.draftFound(formatTime(draft.time, context.host))
    const restore = { label: strings.draftRestore, run: () => this.#restore(draft) }
    const compare = { label: strings.draftCompare, run: () => void this.#compare(draft) }
    const discard = { label: strings.draftDiscard, run: () => this.#discard(draft) }
    const { text } = context.surface.read()
    const isComparable = !isSame(text, '') && !isSame(text, draft.text)
    if (this.#isInConflict(draft))
      this.#show(`${message} ${strings.draftConflict}`, [compare, discard])
    else this.#show(message, isComparable ? [restore, compare, discard] : [restore, discard])
  }

  /** If a replaced button had the focus, the first new button gets it. */
  #show(message: string, actions: readonly NoticeAction[]): void {
    const bar = this.#element
    const hadFocus = hasFocus(bar)
    const buttons = actions.map(({ label, run }) => createButton(label, 'md-editor-action', run))
    bar.setAttribute('aria-label', message)
    bar.replaceChildren(createElement('span', {}, message), ...buttons)
    this.#context.notice.say(message)
    void this.#place()
    if (hadFocus) buttons[0]?.focus()
  }

  async #place(): Promise<void> {
    const { host, signal } = this.#context
    if (this.#element.isConnected) return
    await loadStyles(host, 'drafts')
    if (!signal.aborted && this.#left.length > 0)
      host.querySelector(':scope > .md-editor-header')?.append(this.#element)
  }

  #hide(): void {
    const hadFocus = hasFocus(this.#element)
    this.#element.remove()
    if (hadFocus) this.#context.surface.focus()
  }

  #isInConflict(draft: Draft): boolean {
    return isConflict(draft, this.#session.served, this.#context.surface.read().text)
  }

  #restore(draft: Draft): void {
    if (this.#isInConflict(draft)) void this.#compare(draft)
    else this.#write(draft, draft.text, draft.base)
  }

  async #compare(draft: Draft): Promise<void> {
    const context = this.#context
    const { served } = this.#session
    const shown = context.surface.read().text
    const theirs = isSame(shown, draft.text) ? served : shown
    try {
      const { openMergeDialog } = await loadPart(() => import('./merge.ts'), context.strings)
      const texts = { base: draft.base, mine: draft.text, theirs }
      await openMergeDialog(context, texts, (text) => this.#write(draft, text, served))
    } catch (error) {
      context.notice.fail(messageOf(error))
    }
  }

  #discard(draft: Draft): void {
    removeDraft(draft.id)
    const undo = (): void => {
      putDraft(draft)
      this.next()
    }
    const { strings } = this.#session
    this.#show(strings.draftDiscarded, [
      { label: strings.buttons.undo, run: undo },
      { label: strings.dismiss, run: () => this.#dropFirst() },
    ])
  }

  #dropFirst(): void {
    this.#left.shift()
    this.next()
  }

  /** Writes the draft's text or a merged text as one undo step. Restores the other fields, too. */
  #write(draft: Draft, text: string, base: string): void {
    const context = this.#context
    const session = this.#session
    const caret = { selectionStart: text.length, selectionEnd: text.length }
    const edit = editBetween(context.surface.read(), { text, ...caret })
    if (edit !== null && !context.edit(edit, true)) return
    if (edit !== null) void context.surface.reveal()
    context.uploads.adopt()
    const left = session.fields.restore(draft.fields).map(({ value }) => value)
    if (left.length > 0) context.notice.fail(session.strings.draftLeftOut(left.join(', ')))
    else context.notice.say(session.strings.draftRestored)
    session.take(draft, base)
    this.#dropFirst()
  }
}
