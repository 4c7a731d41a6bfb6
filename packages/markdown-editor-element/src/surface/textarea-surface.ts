import type { Edit, TextState } from '../commands/edit.ts'
import { hasFocus, writeValue } from '../dom/elements.ts'
import { trustHtml } from '../dom/trusted-types.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { HistoryStep, Surface } from '../editor/surface.ts'

const STEPS = new Map<string | undefined, HistoryStep>([
  ['historyUndo', 'undo'],
  ['historyRedo', 'redo'],
])

// The approximate number of code units that are stored to restore selections on undo and redo.
const MAX_STORED = 2_000_000

/** An edit by the editor. Undo and redo find it by the text before or after the edit. */
interface Step {
  readonly before: TextState
  readonly after: TextState
}

/** The textarea itself, with the browser's undo history, spell checker and input methods. */
export class TextareaSurface implements Surface {
  readonly element: HTMLTextAreaElement
  readonly #events: EditorContext['events']
  readonly #life = new AbortController()
  /** The last edits, oldest first. The edits from the index `#undone` on are undone. */
  readonly #steps: Step[] = []
  #undone = 0
  #isChanged = false
  /**
   * The text after an edit that the browser's history does not contain, for example without focus.
   * Undo and redo stop at this text, because Chromium would apply older steps at wrong offsets.
   */
  #firstText: string | null = null

  constructor({ events, textarea }: EditorContext) {
    this.element = textarea
    this.#events = events
    const { signal } = this.#life
    const selected = (): void => events.selected()
    const typed = ({ inputType }: Event & { readonly inputType?: string }): void => {
      this.#isChanged = true
      const step = STEPS.get(inputType)
      if (step !== undefined) this.#restoreSelection(step)
      events.changed(step)
      selected()
    }
    const blockStep = (event: InputEvent): void => {
      if (STEPS.has(event.inputType) && textarea.value === this.#firstText) event.preventDefault()
    }
    textarea.addEventListener('beforeinput', blockStep, { signal })
    textarea.addEventListener('input', typed, { signal })
    for (const name of ['selectionchange', 'focus'])
      textarea.addEventListener(name, selected, { signal })
  }

  get target(): HTMLTextAreaElement {
    return this.element
  }

  get editable(): boolean {
    return !this.element.readOnly && !this.element.matches(':disabled')
  }

  get focused(): boolean {
    return hasFocus(this.element)
  }

  read(): TextState {
    const { value, selectionStart, selectionEnd } = this.element
    return { text: value, selectionStart, selectionEnd }
  }

  edit({ start, end, insert, selectionStart, selectionEnd }: Edit): boolean {
    const textarea = this.element
    if (!this.editable) return false
    const before = this.read()
    const after = before.text.slice(0, start) + insert + before.text.slice(end)
    if (after !== before.text) {
      const most = Math.max(textarea.maxLength, before.text.length)
      if (textarea.maxLength >= 0 && after.length > most) return false
      const kept = countLineBreaks(before.text.slice(start, end), insert)
      // Moving the caret by script keeps the browser from merging this undo step with typing.
      textarea.setSelectionRange(start, end - kept)
      if (this.focused) replaceNatively(insert.slice(0, insert.length - kept))
      if (textarea.value !== after) {
        writeValue(textarea, after)
        this.#firstText = after
        textarea.dispatchEvent(new Event('input', { bubbles: true }))
      }
      this.#steps.length = this.#undone
      this.#steps.push({ before, after: { text: after, selectionStart, selectionEnd } })
      if (this.#steps.length > MAX_STORED / (before.text.length + after.length)) this.#steps.shift()
      this.#undone = this.#steps.length
    }
    this.select(selectionStart, selectionEnd)
    return true
  }

  select(start: number, end: number): void {
    this.element.setSelectionRange(start, end)
  }

  focus(options?: FocusOptions): void {
    this.element.focus(options)
  }

  step(step: HistoryStep): void {
    this.element.focus()
    document.execCommand(step)
    if (this.focused) return
    // Chromium has one history for all fields and has changed another field. Reverts that change.
    document.execCommand(step === 'undo' ? 'redo' : 'undo')
    this.element.focus()
  }

  can(step: HistoryStep): boolean {
    // In Chromium, the enabled step can be a step of another field.
    return this.#isChanged && document.queryCommandEnabled(step)
  }

  async reveal(): Promise<void> {
    // If the module cannot be loaded, for example offline, the scroll position does not change.
    const geometry = await import('../dom/textarea-geometry.ts').catch(() => null)
    geometry?.revealCaret(this.element)
  }

  offsetAt(x: number, y: number): number | null {
    const position = document.caretPositionFromPoint?.(x, y)
    return position?.offsetNode === this.element ? position.offset : null
  }

  takeOver(): void {
    this.#events.changed()
  }

  flush(): void {}

  end(): void {
    this.#life.abort()
  }

  /** Restores the selection from before or after an edit. Browsers would set another selection. */
  #restoreSelection(step: HistoryStep): void {
    const isUndo = step === 'undo'
    const edit = this.#steps[isUndo ? this.#undone - 1 : this.#undone]
    const state = isUndo ? edit?.before : edit?.after
    if (state?.text !== this.element.value) return
    this.#undone += isUndo ? -1 : 1
    this.select(state.selectionStart, state.selectionEnd)
  }
}

/**
 * Counts the line breaks with which both texts end. An edit keeps them, because in Chromium a redo
 * would lose a text that has replaced the last line breaks of a textarea.
 */
function countLineBreaks(some: string, other: string): number {
  let count = 0
  while (some.at(-1 - count) === '\n' && other.at(-1 - count) === '\n') count++
  return count
}

function replaceNatively(insert: string): void {
  if (insert === '') {
    document.execCommand('delete')
  } else if (insert.split('\n').length <= FEW_LINES || !insertLines(insert)) {
    document.execCommand('insertText', false, insert)
  }
}

// Chromium can insert this many lines by `insertText` in a frame. Each line causes a layout.
const FEW_LINES = 50

/** `insertHTML` causes one layout. Returns false if it fails, as in a textarea in Firefox. */
function insertLines(text: string): boolean {
  try {
    const lines = text.replace(/\n$/, '')
    const escaped = lines.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    if (!document.execCommand('insertHTML', false, trustHtml(escaped))) return false
    // After a final line break in HTML, a redo in Chromium would put later text before it.
    if (lines !== text) document.execCommand('insertText', false, '\n')
    return true
  } catch {
    return false // The page requires Trusted Types and does not allow our policy.
  }
}

/** The attribute of a textarea under CodeMirror. Its value is the earlier `tabindex`, or `''`. */
export const COVERED = 'data-md-editor-covered'

/** Restores the attributes of a covered textarea. */
export function uncover(textarea: HTMLTextAreaElement): void {
  const tabIndex = textarea.getAttribute(COVERED)
  if (tabIndex === null) return
  for (const name of [COVERED, 'aria-hidden', 'tabindex']) textarea.removeAttribute(name)
  if (tabIndex !== '') textarea.setAttribute('tabindex', tabIndex)
}
