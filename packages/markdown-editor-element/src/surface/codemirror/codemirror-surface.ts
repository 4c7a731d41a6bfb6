import { history, isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import { type Edit, editBetween, type TextState } from '../../commands/edit.ts'
import { createElement, PART } from '../../dom/elements.ts'
import type { EditorContext } from '../../editor/editor-context.ts'
import type { HistoryStep, Surface } from '../../editor/surface.ts'
import { CoveredField } from './covered-field.ts'
import { KEYS, LINE_DIRECTION, maxLength } from './extensions.ts'
import { describeField } from './field-description.ts'
import { adoptStyles, copyLook, THEME } from './styles.ts'

/** Covers the textarea with CodeMirror, which stays fast because it lays out only visible lines. */
export class CodeMirrorSurface implements Surface {
  readonly element: HTMLDivElement
  readonly #view: EditorView
  readonly #context: EditorContext
  readonly #field: CoveredField
  #doc: Text
  #text: string

  constructor(context: EditorContext) {
    const { textarea } = context
    this.#context = context
    this.element = createElement('div', { class: 'md-editor-surface', [PART]: true })
    copyLook(textarea, this.element)
    const state = EditorState.create({
      doc: textarea.value,
      selection: { anchor: textarea.selectionStart, head: textarea.selectionEnd },
      extensions: this.#extensions(),
    })
    const root = textarea.getRootNode() as Document | ShadowRoot
    adoptStyles(root, state)
    this.#view = new EditorView({ state, parent: this.element, root })
    this.#doc = state.doc
    this.#text = textarea.value
    this.#field = new CoveredField(context, this)
    textarea.after(this.element)
  }

  get target(): HTMLElement {
    return this.#view.contentDOM
  }

  get editable(): boolean {
    const { textarea } = this.#context
    return !textarea.readOnly && !textarea.matches(':disabled')
  }

  get focused(): boolean {
    return this.#view.root.activeElement === this.#view.contentDOM
  }

  read(): TextState {
    const { doc, selection } = this.#view.state
    const { from, to } = selection.main
    if (doc !== this.#doc) this.#text = doc.toString()
    this.#doc = doc
    return { text: this.#text, selectionStart: from, selectionEnd: to }
  }

  edit({ start, end, insert, selectionStart, selectionEnd }: Edit): boolean {
    const { state } = this.#view
    const { maxLength: limit } = this.#context.textarea
    if (!this.editable) return false
    const changes = state.changes({ from: start, to: end, insert: state.toText(insert) })
    if (limit >= 0 && changes.newLength > Math.max(limit, state.doc.length)) return false
    this.#view.dispatch({
      changes,
      annotations: isolateHistory.of('full'),
      selection: { anchor: selectionStart, head: selectionEnd },
      scrollIntoView: true,
      userEvent: 'input.edit',
    })
    return true
  }

  select(start: number, end: number): void {
    const { length } = this.#view.state.doc
    const selection = { anchor: Math.min(start, length), head: Math.min(end, length) }
    this.#view.dispatch({ selection, scrollIntoView: true })
  }

  focus(options?: FocusOptions): void {
    this.#view.focus()
    if (!options?.preventScroll) this.element.scrollIntoView({ block: 'nearest' })
  }

  step(step: HistoryStep): void {
    this.#view.focus()
    const run = step === 'undo' ? undo : redo
    run(this.#view)
  }

  can(step: HistoryStep): boolean {
    return (step === 'undo' ? undoDepth : redoDepth)(this.#view.state) > 0
  }

  rectAt(offset: number): DOMRect | null {
    const view = this.#view
    const place = view.coordsAtPos(Math.min(offset, view.state.doc.length))
    const seen = view.scrollDOM.getBoundingClientRect()
    if (place === null || place.bottom <= seen.top || place.top >= seen.bottom) return null
    return new DOMRect(place.left, place.top, place.right - place.left, place.bottom - place.top)
  }

  async reveal(): Promise<void> {
    this.#view.dispatch({ scrollIntoView: true })
  }

  offsetAt(x: number, y: number): number | null {
    return this.#view.posAtCoords({ x, y })
  }

  takeOver(): void {
    this.#field.takeOver()
  }

  flush(): void {
    this.#field.flush()
  }

  end(): void {
    const { textarea } = this.#context
    const { selectionStart, selectionEnd } = this.read()
    this.#field.end()
    this.#view.destroy()
    this.element.remove()
    textarea.setSelectionRange(selectionStart, selectionEnd)
  }

  #extensions(): readonly Extension[] {
    const { host, textarea } = this.#context
    const { tabSize, unicodeBidi } = getComputedStyle(textarea)
    return [
      history(),
      KEYS,
      THEME,
      EditorState.tabSize.of(Number(tabSize) || 8),
      maxLength(textarea),
      describeField(this.#context),
      unicodeBidi === 'plaintext' ? LINE_DIRECTION : [],
      EditorView.lineWrapping,
      EditorView.scrollHandler.of((view, { head }) => {
        // Afterwards, because CodeMirror does not know that the header covers the first lines.
        queueMicrotask(() => {
          const header = host.querySelector('.md-editor-header')?.getBoundingClientRect()
          const top = view.coordsAtPos(head)?.top ?? Number.POSITIVE_INFINITY
          const room = top - 4 - (header?.bottom ?? 0)
          if (room < 0) scrollBy(0, room)
        })
        return false
      }),
      EditorView.updateListener.of((update) => this.#onUpdate(update)),
      EditorView.domEventHandlers({
        // Without this, CodeMirror inserts the text of a dropped file; a textarea does not.
        drop: ({ dataTransfer }) => (dataTransfer?.files.length ?? 0) > 0,
      }),
      EditorView.domEventObservers({ blur: () => this.#field.leave() }),
    ]
  }

  /** Replaces the text with the text that a script has set. `maxlength` does not limit scripts. */
  replace(text: string): void {
    const before = this.read()
    const edit = editBetween(before, { ...before, text })
    if (edit === null) return
    const { start: from, end: to, insert } = edit
    this.#view.dispatch({
      changes: { from, to, insert: this.#view.state.toText(insert) },
      annotations: isolateHistory.of('full'),
      filter: false,
    })
  }

  #onUpdate(update: ViewUpdate): void {
    const { events } = this.#context
    if (update.docChanged) {
      events.changed(stepOf(update))
      this.#field.scheduleFlush(update.state.doc.length)
    }
    if (update.docChanged || update.selectionSet || update.focusChanged) events.selected()
  }
}

function stepOf({ transactions }: ViewUpdate): HistoryStep | undefined {
  const steps = ['undo', 'redo'] as const
  return steps.find((step) => transactions.some((each) => each.isUserEvent(step)))
}
