import { writeValue } from '../../dom/elements.ts'
import { whenIdle } from '../../dom/idle.ts'
import type { EditorContext } from '../../editor/editor-context.ts'
import type { Surface } from '../../editor/surface.ts'
import { COVERED, uncover } from '../textarea-surface.ts'

// A field with at most this many characters is updated immediately.
const SMALL = 10_000

// Milliseconds without typing after which a longer field is updated, because that takes more than a
// frame.
const PAUSE = 1000
const IDLE_TIMEOUT = 500

const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')

/** The surface over a field. */
type CoveringSurface = Pick<Surface, 'read' | 'select' | 'focus'> & { replace(text: string): void }

/**
 * A textarea under another surface. It stays the field of the form: it gets what the user types, with
 * an `input` event each time, and the surface gets what scripts write into it.
 *
 * For this the property `value` of this element is replaced. No event tells when a script sets it,
 * and an editor that still shows the old text, for example after the application has emptied the
 * field, would write it back. An accessor that the page has defined, as React does, is called too.
 */
export class CoveredField {
  readonly #context: Pick<EditorContext, 'notice' | 'textarea'>
  readonly #textarea: HTMLTextAreaElement
  readonly #surface: CoveringSurface
  readonly #life = new AbortController()
  #known: string
  #selection: readonly [number, number] = [0, 0]
  #isWriting = false
  #wasInvalid = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #restore: () => void

  constructor(context: Pick<EditorContext, 'notice' | 'textarea'>, surface: CoveringSurface) {
    const { textarea } = context
    this.#context = context
    this.#textarea = textarea
    this.#surface = surface
    this.#known = this.value
    this.#noteSelection()
    this.#restore = this.#cover()
    this.#listenToField()
    this.#listenToForm()
  }

  follow(length: number): void {
    if (this.#isWriting) return
    clearTimeout(this.#timer)
    if (length < SMALL || this.#known.length < SMALL) this.flush()
    else this.#timer = setTimeout(() => whenIdle(() => this.#flushLater(), IDLE_TIMEOUT), PAUSE)
  }

  /** Updates the field, with an `input` event if it was not up to date. */
  flush(): void {
    if (this.#write()) this.#textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Takes over what a script has written into the field. */
  takeOver(): void {
    const value = this.value
    if (!this.#isWriting && value !== this.#known) this.#take(value)
  }

  /** Restores the attributes of the field. */
  end(): void {
    this.flush()
    this.#life.abort()
    clearTimeout(this.#timer)
    this.#restore()
  }

  /** The field's own value, whatever accessor a page has defined. */
  get value(): string {
    return String(native?.get?.call(this.#textarea))
  }

  /** Updates the field without an event. A text that a script has written wins. */
  #write(): boolean {
    clearTimeout(this.#timer)
    this.takeOver()
    const { text, selectionStart, selectionEnd } = this.#surface.read()
    if (this.#isWriting || text === this.#known) return false
    this.#known = text
    this.#isWriting = true
    writeValue(this.#textarea, text)
    this.#textarea.setSelectionRange(selectionStart, selectionEnd)
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
    this.#surface.replace(value)
    this.#isWriting = false
  }

  #noteSelection(): void {
    this.#selection = [this.#textarea.selectionStart, this.#textarea.selectionEnd]
  }

  #cover(): () => void {
    const textarea = this.#textarea
    const tabIndex = textarea.getAttribute('tabindex') ?? ''
    // A field without layout is not laid out again each time its text changes.
    textarea.setAttribute(COVERED, 'covering')
    textarea.setAttribute('aria-hidden', 'true')
    textarea.tabIndex = -1
    void textarea.offsetHeight
    textarea.setAttribute(COVERED, tabIndex)
    const restoreValue = this.#overrideValue()
    return () => {
      restoreValue()
      uncover(textarea)
    }
  }

  #overrideValue(): () => void {
    const textarea = this.#textarea
    const before = Object.getOwnPropertyDescriptor(textarea, 'value')
    const below = before ?? native
    const get = (): unknown => below?.get?.call(textarea)
    const set = (value: unknown): void => {
      below?.set?.call(textarea, value)
      if (!this.#life.signal.aborted) this.#take(this.value)
    }
    Object.defineProperty(textarea, 'value', { get, set, configurable: true })
    return () => {
      // Unless other code has replaced it.
      if (Object.getOwnPropertyDescriptor(textarea, 'value')?.get !== get) return
      Reflect.deleteProperty(textarea, 'value')
      if (before !== undefined) Object.defineProperty(textarea, 'value', before)
    }
  }

  #listenToField(): void {
    const textarea = this.#textarea
    const { signal } = this.#life
    textarea.addEventListener('input', () => this.takeOver(), { signal })
    for (const type of ['select', 'selectionchange'])
      textarea.addEventListener(type, () => this.#takeSelection(), { signal })
    const onInvalid = (): void => {
      this.#wasInvalid = true
      setTimeout(() => {
        this.#wasInvalid = false
      })
    }
    textarea.addEventListener('invalid', onInvalid, { signal })
    textarea.addEventListener('focus', () => this.#onFocus(), { signal })
  }

  #onFocus(): void {
    this.takeOver()
    this.#surface.focus()
    // The browser gives the focus to the field only if it would show this message there.
    if (this.#wasInvalid) this.#context.notice.fail(this.#textarea.validationMessage, null)
  }

  #takeSelection(): void {
    const { selectionStart, selectionEnd } = this.#textarea
    const [start, end] = this.#selection
    this.takeOver()
    if (selectionStart === start && selectionEnd === end) return
    this.#selection = [selectionStart, selectionEnd]
    this.#surface.select(selectionStart, selectionEnd)
  }

  /** Updates the field before its form or another listener reads it. */
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
    window.addEventListener('pagehide', flush, options)
    document.addEventListener('visibilitychange', flush, options)
  }

  /** Replaces the value that the browser has read before. Other fields may have the same name. */
  #complete(formData: FormData): void {
    const { name } = this.#textarea
    const values = formData.getAll(name)
    const index = values.indexOf(this.value)
    this.flush()
    if (index === -1) return
    formData.delete(name)
    for (const value of values.with(index, this.value)) formData.append(name, value)
  }
}
