import { writeValue } from '../../dom/elements.ts'
import { whenIdle } from '../../dom/idle.ts'
import { COVERED, uncover } from '../textarea-surface.ts'
import { type FormField, listenToForm } from './covered-form.ts'

/** The surface over a field. */
interface FieldOwner {
  /** The text and the selection as they are now. */
  readonly text: string
  readonly selection: readonly [start: number, end: number]
  /** Takes a text that a script has set. */
  replace(text: string): void
  select(start: number, end: number): void
  focus(): void
  /** Shows why the field is not valid. */
  complain(message: string): void
}

// Up to so many characters the field follows at once.
const SMALL = 10_000

// Milliseconds without typing: with a long text it takes more than a frame to bring the field up to
// date.
const PAUSE = 1000
const IDLE_TIMEOUT = 500

const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')

/**
 * A textarea under another surface: it stays the form's truth. What is typed comes to it soon, each
 * time with one `input` event; what scripts do to it is taken over.
 */
export class CoveredField implements FormField {
  readonly #textarea: HTMLTextAreaElement
  readonly #owner: FieldOwner
  readonly #life = new AbortController()
  #known: string
  #selection: readonly [number, number] = [0, 0]
  #isWriting = false
  #wasInvalid = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #restore: () => void

  constructor(textarea: HTMLTextAreaElement, owner: FieldOwner) {
    this.#textarea = textarea
    this.#owner = owner
    this.#known = this.value
    this.#noteSelection()
    this.#restore = this.#cover()
    this.#listenToField()
    listenToForm(textarea, this, this.#life.signal)
  }

  follow(length: number): void {
    if (this.#isWriting) return
    clearTimeout(this.#timer)
    if (length < SMALL || this.#known.length < SMALL) this.flush()
    else this.#timer = setTimeout(() => whenIdle(() => this.#flushLater(), IDLE_TIMEOUT), PAUSE)
  }

  /** Brings the field up to date, with an `input` event when it was not. */
  flush(): void {
    if (this.write()) this.#textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }

  focus(): void {
    this.#owner.focus()
  }

  /** Takes over what a script has written into the field. */
  takeOver(): void {
    const value = this.value
    if (this.#isWriting || value === this.#known) return
    this.#take(value)
  }

  /** Gives the field back as it was found, up to date. */
  end(): void {
    this.flush()
    this.#life.abort()
    clearTimeout(this.#timer)
    this.#restore()
  }

  /** The field's own, whatever a page has put in its place. */
  get value(): string {
    return String(native?.get?.call(this.#textarea))
  }

  /**
   * Brings the field up to date, quietly; false when there is nothing to write. What a script has
   * written wins.
   */
  write(): boolean {
    clearTimeout(this.#timer)
    this.takeOver()
    const { text, selection } = this.#owner
    if (this.#isWriting || text === this.#known) return false
    this.#known = text
    this.#isWriting = true
    writeValue(this.#textarea, text)
    this.#textarea.setSelectionRange(...selection)
    this.#isWriting = false
    this.#noteSelection()
    return true
  }

  #flushLater(): void {
    if (!this.#life.signal.aborted) this.flush()
  }

  #take(value: string): void {
    clearTimeout(this.#timer)
    this.#known = value
    this.#noteSelection()
    this.#isWriting = true
    if (value !== this.#owner.text) this.#owner.replace(value)
    this.#isWriting = false
  }

  #noteSelection(): void {
    this.#selection = [this.#textarea.selectionStart, this.#textarea.selectionEnd]
  }

  /** Hides the field, and hears what scripts do to it. Returns how it becomes what it was. */
  #cover(): () => void {
    const textarea = this.#textarea
    const tabIndex = textarea.getAttribute('tabindex') ?? ''
    // Only a field that had no layout is not laid out again each time its text changes.
    textarea.setAttribute(COVERED, 'covering')
    textarea.setAttribute('aria-hidden', 'true')
    textarea.tabIndex = -1
    void textarea.offsetHeight
    textarea.setAttribute(COVERED, tabIndex)
    const uncoverValue = this.#overrideValue()
    const uncoverFocus = override(textarea, 'focus', { value: () => this.#owner.focus() })
    return () => {
      uncoverFocus()
      uncoverValue()
      uncover(textarea)
    }
  }

  /** Calls an accessor that the page has defined, as React does. */
  #overrideValue(): () => void {
    const textarea = this.#textarea
    const below = Object.getOwnPropertyDescriptor(textarea, 'value') ?? native
    return override(textarea, 'value', {
      get: () => below?.get?.call(textarea),
      set: (value: unknown) => {
        below?.set?.call(textarea, value)
        if (!this.#life.signal.aborted) this.#take(this.value)
      },
    })
  }

  #listenToField(): void {
    const textarea = this.#textarea
    const { signal } = this.#life
    textarea.addEventListener('input', () => this.takeOver(), { signal })
    for (const type of ['select', 'selectionchange']) {
      textarea.addEventListener(type, () => this.#takeSelection(), { signal })
    }
    textarea.addEventListener(
      'invalid',
      () => {
        this.#wasInvalid = true
        setTimeout(() => {
          this.#wasInvalid = false
        })
      },
      { signal },
    )
    textarea.addEventListener(
      'focus',
      () => {
        this.takeOver()
        this.#owner.focus()
        // The browser gives the focus to the field only when it would show this message there.
        if (this.#wasInvalid) this.#owner.complain(textarea.validationMessage)
      },
      { signal },
    )
  }

  #takeSelection(): void {
    const { selectionStart, selectionEnd } = this.#textarea
    const [start, end] = this.#selection
    this.takeOver()
    if (selectionStart === start && selectionEnd === end) return
    this.#selection = [selectionStart, selectionEnd]
    this.#owner.select(selectionStart, selectionEnd)
  }
}

/**
 * Defines a property on an element. Returns a function that removes it, unless other code has
 * replaced it.
 */
function override(element: HTMLElement, name: string, descriptor: PropertyDescriptor): () => void {
  const before = Object.getOwnPropertyDescriptor(element, name)
  Object.defineProperty(element, name, { ...descriptor, configurable: true })
  const ours = Object.getOwnPropertyDescriptor(element, name)
  return () => {
    const now = Object.getOwnPropertyDescriptor(element, name)
    if (now?.value !== ours?.value || now?.get !== ours?.get) return
    Reflect.deleteProperty(element, name)
    if (before !== undefined) Object.defineProperty(element, name, before)
  }
}
