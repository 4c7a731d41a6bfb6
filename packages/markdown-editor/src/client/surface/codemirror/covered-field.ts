import { writeValue } from '../../dom/write-value.ts'
import { COVERED, uncover } from '../uncover.ts'
import { override } from './override.ts'

/** The surface over a field. */
export interface FieldOwner {
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

// Milliseconds without typing. At 1 MB it takes 20 ms to bring the field up to date.
const PAUSE = 1000
const IDLE_TIMEOUT = 500

// A click on one of these in a label is not for the label's field.
const CLICKED = 'label, a, button, input, select, summary, textarea, [contenteditable]'

const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')

/**
 * A textarea under another surface: it stays the form's truth. What is typed comes to it soon, each time with one `input`
 * event; what scripts do to it is taken over.
 */
export class CoveredField {
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
    this.#known = this.#value
    this.#noteSelection()
    this.#restore = this.#cover()
    this.#listenToField()
    this.#listenToForm()
  }

  /** To be called when the text of the surface has changed. */
  follow(length: number): void {
    if (this.#isWriting) return
    clearTimeout(this.#timer)
    if (length < SMALL || this.#known.length < SMALL) this.flush()
    else this.#timer = setTimeout(() => whenIdle(() => this.flush(), this.#life.signal), PAUSE)
  }

  /** Brings the field up to date, with an `input` event when it was not. */
  flush(): void {
    if (this.#write()) this.#textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Takes over what a script has written into the field. */
  takeOver(): void {
    const value = this.#value
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
  get #value(): string {
    return String(native?.get?.call(this.#textarea))
  }

  /** False when there is nothing to write; what a script has written wins. */
  #write(): boolean {
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

  /** A page may already have an accessor of its own there, as React does; ours goes on to it. */
  #overrideValue(): () => void {
    const textarea = this.#textarea
    const below = Object.getOwnPropertyDescriptor(textarea, 'value') ?? native
    return override(textarea, 'value', {
      get: () => below?.get?.call(textarea),
      set: (value: unknown) => {
        below?.set?.call(textarea, value)
        if (!this.#life.signal.aborted) this.#take(this.#value)
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

  #listenToForm(): void {
    const textarea = this.#textarea
    const options = { capture: true, signal: this.#life.signal }
    const root = textarea.getRootNode()
    const flush = (): void => this.flush()
    const onForm = (type: string, act: (event: Event) => void): void => {
      root.addEventListener(type, (event) => event.target === textarea.form && act(event), options)
    }
    onForm('submit', flush)
    onForm('formdata', (event) => this.#complete((event as FormDataEvent).formData))
    onForm('reset', () => {
      this.#write()
      setTimeout(() => this.takeOver())
    })
    root.addEventListener('click', (event) => this.#onClick(event), { signal: options.signal })
    window.addEventListener('pagehide', flush, options)
    document.addEventListener('visibilitychange', flush, options)
  }

  /** The browser has read the field's value before. */
  #complete(formData: FormData): void {
    const { name } = this.#textarea
    const old = this.#value
    this.flush()
    const values = formData.getAll(name)
    const index = values.indexOf(old)
    if (index < 0 || this.#value === old) return
    formData.delete(name)
    for (const value of values.with(index, this.#value)) formData.append(name, value)
  }

  /** The focus that a label gives to the field would lay out its text. */
  #onClick(event: Event): void {
    const nearest = event.target instanceof Element ? event.target.closest(CLICKED) : null
    if (!(nearest instanceof HTMLLabelElement) || nearest.control !== this.#textarea || event.defaultPrevented) return
    event.preventDefault()
    this.#owner.focus()
  }
}

function whenIdle(act: () => void, signal: AbortSignal): void {
  const run = (): void => {
    if (!signal.aborted) act()
  }
  // Safari has none.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: IDLE_TIMEOUT })
  else run()
}
