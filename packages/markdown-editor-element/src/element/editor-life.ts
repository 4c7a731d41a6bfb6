import { PART } from '../dom/elements.ts'
import { startDraftsLater } from '../drafts/load-drafts.ts'
import { EN } from '../i18n/en.ts'
import { type EditorStrings, stringsFor } from '../i18n/strings.ts'
import { holdForm } from '../submit/form-guard.ts'
import { Editor } from './editor.ts'
import { FieldWatch } from './frame.ts'

/** The element of an editor. */
interface Host extends HTMLElement {
  /** The textarea inside, or null. */
  readonly textarea: HTMLTextAreaElement | null
}

/** Starts, restarts and ends the editor of an element while the element is in a page. */
export class EditorLife {
  readonly #host: Host
  readonly #onBuilt: (editor: Editor) => void
  readonly #watch: FieldWatch
  #editor: Editor | null = null
  #isReady = false
  /** The language of the editor. */
  #tag = ''
  /** The translations that are being loaded. */
  #words: Promise<EditorStrings> | null = null
  #started: Promise<void> | null = null
  #isDue = false

  /** @param onBuilt is called with each new editor */
  constructor(host: Host, onBuilt: (editor: Editor) => void) {
    this.#host = host
    this.#onBuilt = onBuilt
    this.#watch = new FieldWatch(host, () => this.#check())
  }

  /** The current editor. */
  get editor(): Editor | null {
    return this.#editor
  }

  /** True from the `ready` event until the editor ends. */
  get ready(): boolean {
    return this.#isReady
  }

  /**
   * Resolves with the editor when its translations are loaded, or with null if no editor starts.
   */
  async coming(): Promise<Editor | null> {
    if (this.#isDue) await Promise.resolve() // A scheduled start runs first.
    await this.#started
    return this.#editor
  }

  /**
   * Ends the current editor. Starts a new one with the first textarea inside the element, or waits
   * for a textarea.
   */
  start(): void {
    const { textarea } = this.#host
    const tag = this.#host.getAttribute('locale') ?? ''
    if (textarea === null || this.#host.hasAttribute('defer')) {
      this.#endEditor()
      this.#watch.watch(null)
      return
    }
    const words =
      this.#editor !== null && tag === this.#tag ? this.#editor.strings : stringsFor(tag)
    if (words instanceof Promise) this.#startLater(words)
    else this.#startWith(words, textarea)
  }

  /**
   * Restarts the editor after the current script, which may change several attributes and the text.
   */
  startSoon(): void {
    if (this.#isDue || !this.#host.isConnected) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (!this.#host.isConnected) return
      // The placeholders of uploads may be in another language than the next editor, or in the text
      // of another record.
      this.#editor?.cancelUploads()
      this.start()
    })
  }

  /** Ends the editor when the element leaves the page. */
  end(): void {
    this.#watch.end()
    this.#endEditor()
  }

  #check(): void {
    const { textarea } = this.#host
    // When the translations are loaded, the textarea is checked again.
    if (this.#editor === null && this.#words !== null) return
    if (textarea === null ? this.#editor === null : this.#editor?.isOf(textarea))
      this.#watch.watch(textarea)
    else this.start()
  }

  #startLater(words: Promise<EditorStrings>): void {
    const start = async (): Promise<void> => {
      const strings = await words.catch(() => EN)
      const { textarea } = this.#host
      // Another start may have begun in the meantime.
      if (this.#words !== words) await this.#started
      else if (textarea !== null) this.#startWith(strings, textarea)
      else this.start()
    }
    this.#words = words
    this.#started = start()
    if (this.#editor === null)
      holdForm(this.#host.getRootNode(), () => this.#host.textarea, this.#started)
  }

  #startWith(strings: EditorStrings, textarea: HTMLTextAreaElement): void {
    const host = this.#host
    const hadFocus = this.#editor?.surface.focused
    this.#endEditor()
    // A copied page, for example of Turbo's cache, contains parts of an earlier editor.
    for (const part of host.querySelectorAll(`:scope > [${PART}]`)) part.remove()
    const editor = new Editor(host, textarea, strings)
    this.#editor = editor
    this.#tag = host.getAttribute('locale') ?? ''
    this.#onBuilt(editor)
    startDraftsLater(editor, () => editor.adoptUploads())
    if (hadFocus) editor.surface.focus({ preventScroll: true })
    this.#watch.watch(textarea)
    queueMicrotask(() => this.#tellReady(editor))
  }

  /** Sends `ready` after the current script, so that the script can add a listener first. */
  #tellReady(editor: Editor): void {
    if (this.#editor !== editor) return
    this.#isReady = true
    this.#host.dispatchEvent(new CustomEvent('ready', { bubbles: true, composed: true }))
  }

  /** Ends the editor. The element still watches for a textarea. */
  #endEditor(): void {
    this.#words = null
    this.#started = null
    this.#isReady = false
    this.#editor?.end()
    this.#editor = null
  }
}
