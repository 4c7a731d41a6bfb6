import type { TextCommandName } from '../commands/commands.ts'
import type { ToolbarButton } from '../contract/toolbar.ts'
import { emojiCompletion } from '../dialogs/completion/emoji.ts'
import type { CompletionProvider } from '../dialogs/completion/provider.ts'
import { PART } from '../dom/elements.ts'
import { loadDrafts, watchPageLater } from '../drafts/load-drafts.ts'
import { Base } from '../editor/element-base.ts'
import { LOCALES, type Locale } from '../i18n/strings.ts'
import { EditorLife } from './editor-life.ts'

// Attributes that an editor reads when it starts: it starts anew when one changes.
const READ_ONCE: readonly string[] = ['locale', 'draft', 'draft-user', 'draft-max-age', 'defer']

/**
 * `<markdown-editor>`: makes the `<textarea>` inside it a markdown editor. The textarea stays the field of the form, and
 * its text is the editor's only truth. All attributes may change later; they count at once unless it says otherwise here:
 *
 * - `toolbar`: names of buttons with spaces between them and `|` between groups
 * - `upload-url`, `finalize-url`: where files and texts are posted; without `upload-url` no files are taken
 * - `temp-url`: what URLs of temporary files begin with: a text that has none is not finalized on submit. Without it every
 *   text is
 * - `upload-types`: media types that may be uploaded; `max-upload-size`: most bytes of a file
 * - `embed-hosts`: hosts that the preview may frame; `highlight-languages`: languages whose code it highlights
 * - `render-options`: what else the server's renderer was given: `policy`, `alertTitles`, `maxLength`, and
 *   `markdownIt`, which is null where pages show texts as they are written; as JSON
 * - `preview-worker`: URL of a script of this origin that renders the preview in place of our own (`servePreview`).
 *   `preview-differs`: published pages may look different from the preview, which then says so.
 *   These five count when an editor shows its first preview
 * - `surface`: where one writes: `native` is the textarea; `codemirror` a surface whose cost for each key does not grow with
 *   the text, loaded when used; `auto`, the default, takes it for texts above 40,000 characters. Undo starts anew where the
 *   surface changes
 * - `mode`: what is shown: `write`, the default, `split` or `preview`. What the user chooses afterwards does not change it
 * - `locale`: a language tag; `de`, `en` and `fr` are there, others come from {@link MarkdownEditorElement.locales}.
 *   The editor starts anew when it changes
 * - `draft`: names what is written, so that drafts are kept in the browser, such as `post/17/body`; `draft-user`: an opaque id
 *   of the user; `draft-max-age`: how long they are kept, in seconds (a day).
 *   The editor starts anew when one of them changes, and the drafts are those of the new name
 * - `defer`: no editor is built as long as it is there, for frameworks that first take over what a server has written
 * - `height`: a CSS length; `theme`: `light`, `dark` or `auto`
 *
 * Before each request it sends a cancelable `request` event ({@link RequestDetail}), where headers can be added. Its other
 * events are those of {@link MarkdownEditorElementEventMap}.
 *
 * @example
 * MarkdownEditorElement.define()
 * // <markdown-editor upload-url="/md-editor/upload"><textarea name="body"></textarea></markdown-editor>
 */
export class MarkdownEditorElement extends Base {
  static readonly observedAttributes: readonly string[] = [
    'toolbar',
    'upload-url',
    'upload-types',
    'height',
    'mode',
    'surface',
    ...READ_ONCE,
  ]

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
  readonly #life = new EditorLife(this, ({ completions }) => completions.use(this.#completions))

  /**
   * Defines the element, once. Under another name it is an element of its own, which extends this one.
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
    // A class can have one name only.
    const isNamed = registry.getName(MarkdownEditorElement) !== null
    const Element = isNamed ? class extends MarkdownEditorElement {} : MarkdownEditorElement
    registry.define(tag, Element)
    watchPageLater()
    return Element
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
    return this.querySelector(`textarea:not([${PART}] *)`)
  }

  /** True when the editor is built: from the `ready` event until the element leaves the page, or the editor starts anew. */
  get ready(): boolean {
    return this.#life.ready
  }

  /**
   * The text as it is now; the textarea may lag behind while a surface for long texts is over it. To set it is what it is
   * for a textarea: no event, and undo begins anew.
   */
  get value(): string {
    return this.#life.editor?.surface.read().text ?? this.textarea?.value ?? ''
  }

  set value(text: string) {
    const { textarea } = this
    if (textarea === null) return
    textarea.value = text
    this.#life.editor?.surface.takeOver()
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
    this.#life.editor?.completions.use(providers)
  }

  /**
   * Does what a command does, with a button or without one, to the current selection. No dialog asks: `link` writes
   * `[text](url)`, `table` a small table. `image`, `video` and `document` open the file chooser.
   *
   * @returns settles when it is done; the editor or the first command may have to be loaded
   * @throws TypeError for an unknown name; its message lists the known ones
   */
  async run(name: ToolbarButton | TextCommandName): Promise<void> {
    const editor = this.#life.editor ?? (await this.#life.coming())
    await editor?.run(name)
  }

  /**
   * Uploads files and puts them behind the selection.
   *
   * @returns settles when their places are in the text; `finalize` waits for the uploads
   */
  async addFiles(files: readonly File[]): Promise<void> {
    const editor = this.#life.editor ?? (await this.#life.coming())
    editor?.add(files)
  }

  /**
   * Makes the text ready to be saved without a form, as a submit does: waits for uploads, then makes temporary files
   * permanent and writes their URLs into the text. A text that needs nothing of it is ready at once.
   *
   * @returns false when that could not be, and the user has been told why and can try again; false too without a textarea,
   *   or outside of a page
   * @example
   * if (await element.finalize()) await save(element.value)
   */
  async finalize(): Promise<boolean> {
    const editor = this.#life.editor ?? (await this.#life.coming())
    return (await editor?.finalize()) ?? false
  }

  /** Removes the draft of this element: for applications that send its text by script, once it is saved. */
  async clearDraft(): Promise<void> {
    const text = this.value
    await (await loadDrafts()).clearDraft(this, text)
  }

  connectedCallback(): void {
    // A property that was set before the element was defined hides the accessor.
    for (const name of ['value', 'completions']) {
      const property = Object.getOwnPropertyDescriptor(this, name)
      if (property !== undefined && Reflect.deleteProperty(this, name))
        Reflect.set(this, name, property.value)
    }
    this.#life.start()
  }

  disconnectedCallback(): void {
    this.#life.end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return
    if (READ_ONCE.includes(name)) this.#life.startSoon()
    else if (name === 'height') this.#life.editor?.applyHeight()
    else if (name === 'surface') this.#life.editor?.applySurface()
    else if (name === 'mode') this.#life.editor?.applyMode()
    else this.#life.editor?.applyToolbar()
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'markdown-editor': MarkdownEditorElement
  }
}
