import type { ToolbarButton } from '../contract/toolbar.ts'
import type { TextCommandName } from './commands/commands.ts'
import { emojiCompletion } from './completion/emoji.ts'
import type { CompletionProvider } from './completion/provider.ts'
import { PART } from './dom/elements.ts'
import { loadDrafts, startDraftsLater, watchPageLater } from './drafts/load-drafts.ts'
import { Editor } from './editor.ts'
import { type EditorStrings, LOCALES, type Locale, stringsFor } from './strings/strings.ts'

// On a server there are no elements, but the class can be imported there.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * `<markdown-editor>`: makes the `<textarea>` inside it a markdown editor. The textarea stays the field of the form, and
 * its text is the editor's only truth. Attributes:
 *
 * - `toolbar`: names of buttons with spaces between them and `|` between groups
 * - `upload-url`, `finalize-url`: where files and texts are posted; without `upload-url` no files are taken
 * - `temp-url`: what URLs of temporary files begin with; a text that has none is not finalized on submit
 * - `upload-types`: media types that may be uploaded; `max-upload-size`: most bytes of a file
 * - `embed-hosts`: hosts that the preview may frame; `highlight-languages`: languages whose code it highlights
 * - `render-options`: what else the server's renderer was given: `policy`, `alertTitles`, `maxLength`, as JSON
 * - `preview-worker`: URL of a script of this origin that renders the preview in place of our own (`servePreview`)
 * - `surface`: where one writes: `native` is the textarea; `codemirror` a surface whose cost for each key does not grow with
 *   the text, loaded when used; `auto`, the default, takes it for texts above 40,000 characters. Undo starts anew where the
 *   surface changes
 * - `locale`: a language tag; `de`, `en` and `fr` are there, others come from {@link MarkdownEditorElement.locales}
 * - `draft`: names what is written, so that drafts are kept in the browser, such as `post/17/body`; `draft-user`: an opaque id
 *   of the user; `draft-max-age`: how long they are kept, in seconds (a day)
 * - `height`: a CSS length; `theme`: `light`, `dark` or `auto`
 *
 * Before each request it sends a cancelable `request` event ({@link RequestDetail}), where headers can be added.
 *
 * @example
 * MarkdownEditorElement.define()
 * // <markdown-editor upload-url="/md-editor/upload"><textarea name="body"></textarea></markdown-editor>
 */
export class MarkdownEditorElement extends Base {
  static readonly observedAttributes: readonly string[] = ['toolbar', 'upload-url', 'upload-types', 'height', 'surface']

  /**
   * The languages that elements know, by their tags in lower case: set before elements enter the page.
   *
   * @example
   * MarkdownEditorElement.locales.set('nl', { write: 'Schrijven' })
   */
  static readonly locales: Map<string, Locale> = LOCALES

  /** Completes `:smile` to 😄: for the property `completions`. */
  static readonly emoji: CompletionProvider = emojiCompletion

  #completions: readonly CompletionProvider[] = []
  #editor: Editor | null = null
  #observer: MutationObserver | null = null

  /**
   * Defines the element, once.
   *
   * @param tag the name of the element
   * @param registry where it is defined
   */
  static define(
    tag: string = 'markdown-editor',
    registry: CustomElementRegistry = customElements,
  ): CustomElementConstructor {
    const defined = registry.get(tag)
    if (defined !== undefined) return defined
    registry.define(tag, MarkdownEditorElement)
    watchPageLater()
    return MarkdownEditorElement
  }

  /**
   * Removes the drafts of this browser; call it where someone signs out.
   *
   * @param user whose, as `draft-user` names them; without it everybody's
   */
  static async clearDrafts(user?: string): Promise<void> {
    await (await loadDrafts()).clearDrafts(user ?? null)
  }

  /** The textarea inside, or null. */
  get textarea(): HTMLTextAreaElement | null {
    return this.querySelector('textarea')
  }

  /**
   * The text as it is now; the textarea may lag behind while a surface for long texts is over it. To set it is what it is
   * for a textarea: no event, and undo begins anew.
   */
  get value(): string {
    return this.#editor?.surface.read().text ?? this.textarea?.value ?? ''
  }

  set value(text: string) {
    const { textarea } = this
    if (textarea === null) return
    textarea.value = text
    this.#editor?.surface.takeOver()
  }

  /**
   * What is completed while someone types. None unless the application says so.
   *
   * @example
   * editor.completions = [{ trigger: '@', search: (query) => people.filter(({ label }) => label.startsWith(query)) }]
   */
  get completions(): readonly CompletionProvider[] {
    return this.#completions
  }

  set completions(providers: readonly CompletionProvider[]) {
    this.#completions = providers
    this.#editor?.completions.use(providers)
  }

  /**
   * Does what a button of the toolbar does, to the current selection, or what a command without a button does.
   *
   * @returns settles when it is done; the first command may have to be loaded
   */
  async run(name: ToolbarButton | TextCommandName): Promise<void> {
    await this.#editor?.run(name)
  }

  /** Uploads files and puts them behind the selection. */
  addFiles(files: readonly File[]): void {
    this.#editor?.add(files)
  }

  /**
   * Makes the text ready to be saved without a form, as a submit does: waits for uploads, then makes temporary files
   * permanent and writes their URLs into the text. A text that needs nothing of it is ready at once.
   *
   * @returns false when that could not be; the user has been told why, and can try again
   * @example
   * if (await element.finalize()) await save(element.value)
   */
  async finalize(): Promise<boolean> {
    return (await this.#editor?.finalize()) ?? true
  }

  /** Removes the draft of this element: for applications that send its text by script, once it is saved. */
  async clearDraft(): Promise<void> {
    const text = this.value
    await (await loadDrafts()).clearDraft(this, text)
  }

  connectedCallback(): void {
    // A property that was set before the element was defined hides the accessor.
    if (Object.hasOwn(this, 'completions')) {
      const { completions } = this
      Reflect.deleteProperty(this, 'completions')
      this.completions = completions
    }
    // A page that was copied with its parts, as Turbo does, brings old ones along.
    for (const part of this.querySelectorAll(`:scope > [${PART}]`)) part.remove()
    if (this.#start()) return
    // The parser may still be on its way to the textarea.
    this.#observer = new MutationObserver(() => {
      if (this.#start()) this.#stopObserving()
    })
    this.#observer.observe(this, { childList: true, subtree: true })
  }

  disconnectedCallback(): void {
    this.#stopObserving()
    this.#editor?.end()
    this.#editor = null
  }

  attributeChangedCallback(name: string): void {
    if (name === 'height') this.#editor?.applyHeight()
    else if (name === 'surface') this.#editor?.applySurface()
    else this.#editor?.applyToolbar()
  }

  /** Begins with the first textarea inside. False when there is none yet. */
  #start(): boolean {
    if (this.textarea === null) return false
    const strings = stringsFor(this.getAttribute('locale') ?? '')
    if (strings instanceof Promise) void this.#startLater(strings)
    else this.#startWith(strings)
    return true
  }

  async #startLater(loading: Promise<EditorStrings>): Promise<void> {
    const strings = await loading.catch(() => stringsFor('en') as EditorStrings)
    if (this.isConnected) this.#startWith(strings)
  }

  #startWith(strings: EditorStrings): void {
    const { textarea } = this
    if (textarea === null || this.#editor !== null) return
    const editor = new Editor(this, textarea, strings)
    this.#editor = editor
    editor.completions.use(this.#completions)
    startDraftsLater(editor, () => editor.adoptUploads())
  }

  #stopObserving(): void {
    this.#observer?.disconnect()
    this.#observer = null
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'markdown-editor': MarkdownEditorElement
  }
}
