import { PART } from '../dom/elements.ts'
import { startDraftsLater } from '../drafts/load-drafts.ts'
import { EN } from '../i18n/en.ts'
import { type EditorStrings, stringsFor } from '../i18n/strings.ts'
import { holdForm } from '../uploads/form-guard.ts'
import { Editor } from './editor.ts'

interface Host extends HTMLElement {
  readonly textarea: HTMLTextAreaElement | null
}

/** Starts, restarts and ends the editor of an element while the element is in a page. */
export class EditorLife {
  readonly #host: Host
  readonly #onBuilt: (editor: Editor) => void
  readonly #observer = new MutationObserver(() => this.#check())
  #editor: Editor | null = null
  #isReady = false
  #tag = ''
  /** Settles when translations have loaded and the editor has started; null if none are loading. */
  #starting: Promise<void> | null = null
  #isDue = false

  constructor(host: Host, onBuilt: (editor: Editor) => void) {
    this.#host = host
    this.#onBuilt = onBuilt
  }

  get editor(): Editor | null {
    return this.#editor
  }

  get ready(): boolean {
    return this.#isReady
  }

  /** Returns the editor when its translations are loaded, or null if no editor starts. */
  async whenStarted(): Promise<Editor | null> {
    if (this.#isDue) await Promise.resolve() // Lets a scheduled start run first.
    await this.#starting
    return this.#editor
  }

  /** Replaces the editor. Without a textarea, or with the attribute `defer`, only ends it. */
  start(): void {
    const { textarea } = this.#host
    const tag = this.#host.getAttribute('locale') ?? ''
    if (textarea === null || this.#host.hasAttribute('defer')) {
      this.#endEditor()
      this.#watch(null)
      return
    }
    const strings =
      this.#editor !== null && tag === this.#tag ? this.#editor.strings : stringsFor(tag)
    if (strings instanceof Promise) this.#startLater(strings)
    else this.#startWith(strings, textarea)
  }

  /** Restarts the editor after the current script, which may change several attributes. */
  startSoon(): void {
    if (this.#isDue || !this.#host.isConnected) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (!this.#host.isConnected) return
      // The page may now show another text in this element, so no upload may continue.
      this.#editor?.uploads.cancelAll()
      this.start()
    })
  }

  end(): void {
    this.#observer.disconnect()
    this.#endEditor()
  }

  #check(): void {
    const { textarea } = this.#host
    // When the translations are loaded, the textarea is checked again.
    if (this.#editor === null && this.#starting !== null) return
    if (textarea === null ? this.#editor === null : this.#editor?.isOf(textarea))
      this.#watch(textarea)
    else this.start()
  }

  /** Calls `#check` when the page replaces the textarea or removes an element of the editor. */
  #watch(textarea: HTMLTextAreaElement | null): void {
    this.#observer.disconnect()
    const host = this.#host
    if (textarea === null) {
      this.#observer.observe(host, { childList: true, subtree: true })
      return
    }
    // Observes only the ancestors, because the surface and the preview change with each key.
    let node = textarea.parentElement
    for (; node !== null && host.contains(node); node = node.parentElement)
      this.#observer.observe(node, { childList: true })
  }

  #startLater(loading: Promise<EditorStrings>): void {
    const start = async (strings: EditorStrings): Promise<void> => {
      const { textarea } = this.#host
      // Another start may have begun in the meantime.
      if (this.#starting !== starting) await this.#starting
      else if (textarea !== null) this.#startWith(strings, textarea)
      else this.start()
    }
    const starting: Promise<void> = loading.catch(() => EN).then(start)
    this.#starting = starting
    if (this.#editor === null)
      holdForm(this.#host.getRootNode(), () => this.#host.textarea, starting)
  }

  #startWith(strings: EditorStrings, textarea: HTMLTextAreaElement): void {
    const host = this.#host
    const hadFocus = this.#editor?.surface.focused
    this.#endEditor()
    // A copy of a page, for example from Turbo's cache, contains elements of an earlier editor.
    for (const part of host.querySelectorAll(`:scope > [${PART}]`)) part.remove()
    const editor = new Editor(host, textarea, strings)
    this.#editor = editor
    this.#tag = host.getAttribute('locale') ?? ''
    this.#onBuilt(editor)
    startDraftsLater(editor)
    if (hadFocus) editor.surface.focus({ preventScroll: true })
    this.#watch(textarea)
    queueMicrotask(() => this.#dispatchReady(editor))
  }

  /** Sends `ready` after the current script, so that the script can add a listener first. */
  #dispatchReady(editor: Editor): void {
    if (this.#editor !== editor) return
    this.#isReady = true
    this.#host.dispatchEvent(new CustomEvent('ready', { bubbles: true, composed: true }))
  }

  #endEditor(): void {
    this.#starting = null
    this.#isReady = false
    this.#editor?.end()
    this.#editor = null
  }
}
