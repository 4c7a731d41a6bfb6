import { writeValue } from '../../dom/elements.ts'
import { whenIdle } from '../../dom/idle.ts'
import type { EditorContext } from '../../editor/editor-context.ts'
import type { Surface } from '../../editor/surface.ts'
import { COVERED, uncover } from '../textarea-surface.ts'

// A field with fewer code units than this is updated immediately.
const SMALL = 10_000

// Milliseconds without typing before a longer field is updated. Updates take longer than a frame.
const PAUSE = 1000

const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')

type CoveringSurface = Pick<Surface, 'read' | 'select' | 'focus'> & { replace(text: string): void }

/**
 * Keeps a textarea in sync with the surface that covers it. The textarea stays the field of the
 * form. Its property `value` is overridden, because no event reports that a script has set it. An
 * accessor that the page has defined, as React does, is still called.
 */
export class CoveredField {
  readonly #context: EditorContext
  readonly #textarea: HTMLTextAreaElement
  readonly #surface: CoveringSurface
  readonly #life = new AbortController()
  #known: string
  #selection: readonly [number, number] = [0, 0]
  #isWriting = false
  /** True if the user has changed the text since the last `change` event. */
  #isChanged = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #restoreValue: () => void

  constructor(context: EditorContext, surface: CoveringSurface) {
    const { textarea } = context
    this.#context = context
    this.#textarea = textarea
    this.#surface = surface
    this.#known = this.value
    this.#noteSelection()
    this.#cover()
    this.#restoreValue = this.#overrideValue()
    this.#listenToField()
    this.#listenToForm()
  }

  /** @param length the length of the surface's text */
  scheduleFlush(length: number): void {
    if (this.#isWriting) return
    clearTimeout(this.#timer)
    const flush = (): void => {
      if (!this.#life.signal.aborted) this.flush()
    }
    if (length < SMALL || this.#known.length < SMALL) flush()
    else this.#timer = setTimeout(() => whenIdle(flush), PAUSE)
  }

  /** Updates the field, with an `input` event if it was not up to date. */
  flush(): void {
    if (this.#write()) this.#textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Sends `change` if the user has changed the text, as a textarea does on blur. */
  leave(): void {
    this.flush()
    if (this.#isChanged) this.#textarea.dispatchEvent(new Event('change', { bubbles: true }))
    this.#isChanged = false
  }

  /** If a script has written a text into the field, passes that text to the surface. */
  takeOver(): void {
    const value = this.value
    if (!this.#isWriting && value !== this.#known) this.#take(value)
  }

  end(): void {
    this.flush()
    this.#life.abort()
    clearTimeout(this.#timer)
    this.#restoreValue()
    uncover(this.#textarea)
  }

  /** The native value of the field, even if the page has defined another accessor. */
  get value(): string {
    return String(native?.get?.call(this.#textarea))
  }

  /** Updates the field without an event, or the surface if a script has changed the field. */
  #write(): boolean {
    clearTimeout(this.#timer)
    this.takeOver()
    const { text, selectionStart, selectionEnd } = this.#surface.read()
    if (this.#isWriting || text === this.#known) return false
    this.#known = text
    writeValue(this.#textarea, text)
    this.#textarea.setSelectionRange(selectionStart, selectionEnd)
    this.#isChanged = true
    this.#noteSelection()
    return true
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

  #cover(): void {
    const textarea = this.#textarea
    const tabIndex = textarea.getAttribute('tabindex') ?? ''
    // Discards the layout of the field, so that a change of its text causes no new layout.
    textarea.setAttribute(COVERED, 'covering')
    textarea.setAttribute('aria-hidden', 'true')
    textarea.tabIndex = -1
    void textarea.offsetHeight
    textarea.setAttribute(COVERED, tabIndex)
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
      // Keeps an accessor that other code has defined in the meantime.
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
    textarea.addEventListener('focus', () => this.#onFocus(), { signal })
  }

  #onFocus(): void {
    this.takeOver()
    this.#surface.focus()
    // The browser shows this message at the field, where the surface covers it.
    if (this.#textarea.matches(':user-invalid'))
      this.#context.notice.fail(this.#textarea.validationMessage)
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

  /** Updates form data that the browser read too early. Keeps the values of other fields. */
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
